import { durableNames } from '@flue/runtime/internal';
import type { AgentFact } from '../analysis/summary.ts';

/**
 * Names of agents in generated code (TCLI-04): the exported function's, and for agents that would share one their
 * identity in Pascal case. What still collides then is FLUE5014.
 */
export function accessorNames(agents: readonly AgentFact[]): ReadonlyMap<AgentFact, string> {
  const exported = (agent: AgentFact) => (agent.export === 'default' ? agent.function : agent.export);
  const uses = new Map<string, number>();
  for (const agent of agents) uses.set(exported(agent), (uses.get(exported(agent)) ?? 0) + 1);
  return new Map(
    agents.map((agent) => {
      const isShared = (uses.get(exported(agent)) ?? 0) > 1;
      return [agent, isShared ? pascalCase(agent.identity) : exported(agent)];
    }),
  );
}

function pascalCase(identity: string): string {
  return durableNames(identity).className.slice('Flue'.length, -'Agent'.length);
}
