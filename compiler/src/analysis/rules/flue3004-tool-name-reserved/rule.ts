import { RESERVED_TOOLS } from '@flue/runtime/internal';
import { fieldsOf } from '../../compose/fields.ts';
import { defineRule } from '../define-rule.ts';

/** A name that the framework keeps for itself (NAME-02). */
export default defineRule({
  code: 'FLUE3004',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const { term } of project.tools) {
      const field = fieldsOf(project.linker.evaluator, term).byName.get('name');
      if (field?.term.t !== 'literal' || field.owner.value !== term.value) continue;
      const name = field.term.value;
      if (!(RESERVED_TOOLS as readonly unknown[]).includes(name)) continue;
      report({
        module: field.module,
        range: field.value,
        message: `"${name}" is reserved by Flue. Rename the tool.`,
      });
    }
  },
});
