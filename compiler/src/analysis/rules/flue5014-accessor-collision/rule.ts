import { durableNames } from '@flue/runtime/internal';
import type { Agent } from '../../compose/agents.ts';
import { defineRule } from '../define-rule.ts';

/** Two agents under one name of the generated client, after the fallback to their identity (TCLI-04). */
export default defineRule({
  code: 'FLUE5014',
  severity: 'error',
  tier: 'G',
  scope: 'project',
  check(project, report) {
    const own = groupBy(project.agents, ownName);
    const accessors = groupBy(project.agents, (agent) => {
      const name = ownName(agent);
      return own.get(name)!.length > 1 ? pascalCase(agent.identity) : name;
    });
    for (const [accessor, agents] of accessors) {
      // Equal identities are FLUE1102's, and equal folded ones FLUE1103's.
      const identities = new Set(agents.map((agent) => pascalCase(agent.identity)));
      if (agents.length < 2 || identities.size < agents.length) continue;
      for (const agent of agents) {
        const other = agents.find((candidate) => candidate !== agent)!;
        report({
          module: agent.module,
          range: agent.binding.range,
          message: `"${agent.identity}" and "${other.identity}" both become the accessor ${accessor}; rename one export.`,
          related: [{ module: other.module, range: other.binding.range, message: `"${other.identity}"` }],
        });
      }
    }
  },
});

function ownName(agent: Agent): string {
  return agent.export === 'default' ? agent.binding.name : agent.export;
}

/** The identity as the generated class spells it. */
function pascalCase(identity: string): string {
  return durableNames(identity).className.replace(/^Flue|Agent$/g, '');
}

function groupBy(agents: readonly Agent[], key: (agent: Agent) => string): Map<string, Agent[]> {
  const groups = new Map<string, Agent[]>();
  for (const agent of agents) groups.set(key(agent), [...(groups.get(key(agent)) ?? []), agent]);
  return groups;
}
