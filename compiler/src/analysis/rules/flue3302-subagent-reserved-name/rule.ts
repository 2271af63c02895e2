import { GENERAL_SUBAGENT_NAME } from '@flue/runtime/internal';
import { fieldsOf } from '../../compose/fields.ts';
import { defineRule } from '../define-rule.ts';

/** The framework's own delegate, defined anew (DELEG-05). */
export default defineRule({
  code: 'FLUE3302',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const { term } of project.subagents) {
      const { byName } = fieldsOf(project.linker.evaluator, term);
      const name = byName.get('name');
      if (name?.term.t !== 'literal' || name.term.value !== GENERAL_SUBAGENT_NAME || !byName.has('agent'))
        continue;
      report({
        module: name.module,
        range: name.value,
        message: `"${GENERAL_SUBAGENT_NAME}" is the framework's own delegate; choose another name.`,
      });
    }
  },
});
