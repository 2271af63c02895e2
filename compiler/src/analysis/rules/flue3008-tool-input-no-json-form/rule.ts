import { fieldsOf } from '../../compose/fields.ts';
import { partsWithoutJson } from '../../compose/schema-parts.ts';
import { defineRule } from '../define-rule.ts';

/** A part of the input that no model can supply: it sends JSON. */
export default defineRule({
  code: 'FLUE3008',
  severity: 'warning',
  tier: 'S',
  check(project, report) {
    const { evaluator } = project.linker;
    for (const { term } of project.tools) {
      const field = fieldsOf(evaluator, term).byName.get('input');
      if (!field || field.owner.value !== term.value) continue;
      for (const part of partsWithoutJson(evaluator, field.term)) {
        report({
          module: part.module,
          range: part.range,
          message: `The model cannot supply ${part.path || 'the input'}: ${part.type} has no JSON form.`,
        });
      }
    }
  },
});
