import { isTestFile } from '../../compose/project.ts';
import { whyNoAgent } from '../../compose/targets.ts';
import { excerpt } from '../../position.ts';
import { defineRule } from '../define-rule.ts';

const SENDS = new Set(['dispatch', 'init', 'getAgentInstance']);

/** A send that has nobody to go to (DSP-03). */
export default defineRule({
  code: 'FLUE4001',
  severity: 'error',
  tier: 'G',
  // What it names is defined elsewhere, and served by whoever calls start().
  scope: 'project',
  check(project, report) {
    for (const { module, call, name } of project.apiCalls) {
      const argument = call.args[0];
      if (!SENDS.has(name) || !argument || argument.spread || isTestFile(module.path)) continue;
      const target = project.linker.evaluator.evaluate(module, argument.value);
      let reason: string | undefined;
      if (target.t === 'literal' || target.t === 'object' || target.t === 'array')
        reason = 'pass the agent function itself';
      else if (target.t === 'function') reason = whyNoAgent(project, target);
      if (reason === undefined) continue;
      report({
        module,
        range: argument.value,
        message: `${excerpt(module, argument.value)} is not a registered agent: ${reason}.`,
      });
    }
  },
});
