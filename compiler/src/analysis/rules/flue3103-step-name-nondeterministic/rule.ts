import { chanceIn } from '../../compose/chance.ts';
import { NO_ENV } from '../../compose/term.ts';
import { defineRule } from '../define-rule.ts';

/** A step name that a second execution would not find again. */
export default defineRule({
  code: 'FLUE3103',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    for (const { module, call } of project.steps) {
      const name = call.args[0];
      if (!name || name.spread) continue;
      const source = chanceIn(project.linker.evaluator, module, name.value, NO_ENV);
      if (source === undefined) continue;
      report({
        module,
        range: name.value,
        message: `The step name depends on ${source}; after a crash it will not match and the step runs again.`,
      });
    }
  },
});
