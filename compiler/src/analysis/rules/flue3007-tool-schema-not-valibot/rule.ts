import { fieldsOf } from '../../compose/fields.ts';
import { isNoSchema } from '../../compose/schema.ts';
import { defineRule } from '../define-rule.ts';

/** A tool schema that the definition refuses (TOOL-03, TOOL-04). */
export default defineRule({
  code: 'FLUE3007',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const { evaluator } = project.linker;
    for (const { term } of project.tools) {
      const { byName } = fieldsOf(evaluator, term);
      for (const key of ['input', 'output']) {
        const field = byName.get(key);
        if (!field || field.owner.value !== term.value || !isNoSchema(evaluator, field.term)) continue;
        report({
          module: field.module,
          range: field.value,
          message: `${key} must be a synchronous Valibot schema.`,
        });
      }
    }
  },
});
