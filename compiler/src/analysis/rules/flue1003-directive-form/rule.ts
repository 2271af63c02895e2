import { DIRECTIVE } from '../../find.ts';
import { defineRule } from '../define-rule.ts';

/** The directive in a form that JavaScript does not read as one. */
export default defineRule({
  code: 'FLUE1003',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const module of project.modules) {
      if (module.marked) continue;
      for (const { text, place, form, start, end } of module.directives) {
        if (text !== DIRECTIVE || place !== 'prologue' || form === 'plain') continue;
        const range = { start, end };
        report({
          module,
          range,
          message: "Write the directive as a plain string: 'use agent'. This form is ignored by JavaScript.",
          fixes: [
            {
              title: 'Write it as a plain string',
              safe: true,
              edits: [{ ...range, text: `'${DIRECTIVE}';` }],
            },
          ],
        });
      }
    }
  },
});
