import { whyNoAgent } from '../../compose/targets.ts';
import { excerpt } from '../../position.ts';
import { defineRule } from '../define-rule.ts';

/** A router for something that cannot be served. */
export default defineRule({
  code: 'FLUE4009',
  severity: 'error',
  tier: 'G',
  // What it names is defined elsewhere, and served by whoever calls start().
  scope: 'project',
  check(project, report) {
    for (const { module, call, name } of project.apiCalls) {
      const argument = call.args[0];
      if (name !== 'createAgentRouter' || !argument || argument.spread) continue;
      const target = project.linker.evaluator.evaluate(module, argument.value);
      if (target.t !== 'function') continue;
      const fn = target.module.functions[target.fn]!;
      const isAnonymous = fn.name === undefined;
      const reason = isAnonymous ? 'it has no name' : whyNoAgent(project, target);
      if (reason === undefined) continue;
      const label = isAnonymous ? 'an anonymous function' : excerpt(module, argument.value);
      report({
        module,
        range: argument.value,
        message: `createAgentRouter() cannot serve ${label}: ${reason}.`,
      });
    }
  },
});
