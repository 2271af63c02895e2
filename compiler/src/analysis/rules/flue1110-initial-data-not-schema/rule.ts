import { isNoSchema } from '../../compose/schema.ts';
import { defineRule } from '../define-rule.ts';

/** An initialData that registration would refuse (STATIC-03, STATIC-07). */
export default defineRule({
  code: 'FLUE1110',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const { evaluator } = project.linker;
    for (const { module, statics } of project.agents) {
      for (const { name, assignment } of statics) {
        if (name !== 'initialData') continue;
        if (!isNoSchema(evaluator, evaluator.evaluate(module, assignment.value))) continue;
        report({
          module,
          range: assignment.value,
          message: 'initialData must be a synchronous Valibot schema.',
        });
      }
    }
  },
});
