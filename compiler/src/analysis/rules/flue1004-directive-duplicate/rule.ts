import { DIRECTIVE } from '../../find.ts';
import { defineRule } from '../define-rule.ts';

/** The directive once more in the same prologue. */
export default defineRule({
  code: 'FLUE1004',
  severity: 'hint',
  tier: 'S',
  check(project, report) {
    for (const module of project.modules) {
      const copies = module.directives.filter(
        ({ text, place, form }) => text === DIRECTIVE && place === 'prologue' && form === 'plain',
      );
      for (const { start, end } of copies.slice(1)) {
        const range = { start, end };
        report({
          module,
          range,
          message: 'The directive is already set above; this copy has no effect.',
          fixes: [{ title: 'Remove the copy', safe: true, edits: [{ ...range, text: '' }] }],
        });
      }
    }
  },
});
