import { defineRule } from '../define-rule.ts';

/** A computed agentName: a build cannot read it. */
export default defineRule({
  code: 'FLUE1104',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const { module, statics } of project.agents) {
      for (const { name, assignment } of statics) {
        const { value } = assignment;
        if (
          name !== 'agentName' ||
          (value.k === 'literal' && typeof value.value === 'string' && value.form !== 'template')
        )
          continue;
        const known = project.linker.evaluator.evaluate(module, value);
        const text = known.t === 'literal' && typeof known.value === 'string' ? known.value : undefined;
        report({
          module,
          range: value,
          message: 'agentName must be a string literal: storage names are derived before any code runs.',
          fixes:
            text === undefined
              ? []
              : [
                  {
                    title: `Write '${text}'`,
                    safe: true,
                    edits: [
                      { start: value.start, end: value.end, text: `'${text.replace(/[\\']/g, '\\$&')}'` },
                    ],
                  },
                ],
        });
      }
    }
  },
});
