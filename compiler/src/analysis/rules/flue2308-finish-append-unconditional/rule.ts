import { eventsOf } from '../../compose/renders.ts';
import { defineRule } from '../define-rule.ts';

/** A response that asks for another cycle every time (FIN-06). */
export default defineRule({
  code: 'FLUE2308',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    for (const { module, call, name } of project.apiCalls) {
      const value = call.args[0]?.value;
      if (name !== 'useAgentFinish' || !value) continue;
      const callback = project.linker.evaluator.evaluate(module, value);
      if (callback.t !== 'function') continue;
      const summary = project.linker.flowOf(callback.module, callback.fn);
      const append = eventsOf(summary, 'append').find(({ min }) => min > 0);
      if (!append) continue;
      report({
        module: append.first.module,
        range: append.first.call,
        message:
          'This appends on every cycle, so the response can never settle and fails at the continuation ceiling.',
      });
    }
  },
});
