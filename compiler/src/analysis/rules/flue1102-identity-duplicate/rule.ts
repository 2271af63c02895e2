import type { Agent } from '../../compose/agents.ts';
import { defineRule } from '../define-rule.ts';

/** Two agents under one identity: reported at each, so that either file shows it. */
export default defineRule({
  code: 'FLUE1102',
  severity: 'error',
  tier: 'G',
  scope: 'project',
  check(project, report) {
    const byIdentity = new Map<string, Agent[]>();
    for (const agent of project.agents) {
      const same = byIdentity.get(agent.identity);
      if (same) same.push(agent);
      else byIdentity.set(agent.identity, [agent]);
    }
    for (const [identity, agents] of byIdentity) {
      if (agents.length < 2) continue;
      for (const agent of agents) {
        const others = agents.filter((other) => other !== agent);
        report({
          module: agent.module,
          range: agent.binding.range,
          message: `Identity "${identity}" is also used by ${others[0]!.module.path}. Conversations would share storage; rename one or set agentName.`,
          related: others.map((other) => ({
            module: other.module,
            range: other.binding.range,
            message: `${other.binding.name} is "${identity}" too`,
          })),
        });
      }
    }
  },
});
