import type { Agent } from '../compose/agents.ts';
import type { Project } from '../compose/project.ts';
import type { LockableAgent } from '../identity-drift.ts';

/** The registered agents as the lock knows them, each with its place. */
export function lockableAgents(project: Project): (LockableAgent & { readonly agent: Agent })[] {
  return project.agents.map((agent) => ({
    identity: agent.identity,
    module: agent.module.path,
    export: agent.export,
    function: agent.binding.name,
    agent,
  }));
}
