import { type CatalogEntry, catalogLine } from './narration.ts';

/** What the system prompt holds after the instruction document; it stays as composed until a rebaseline (NARR-03). */
export interface PromptParts {
  readonly skills: readonly Listed[];
  readonly subagents: readonly Listed[];
  /** epoch milliseconds */
  readonly now: number;
}

type Listed = Pick<CatalogEntry, 'name' | 'description'>;

/** Catalogs, then the date (RCD-32). Later changes of a catalog are told by signals (NARR-01). */
export function composePrompt({ skills, subagents, now }: PromptParts): string {
  const date = `Current date: ${new Date(now).toISOString().slice(0, 10)}`;
  return [...skillCatalog(skills), agentCatalog(subagents), date].join('\n\n');
}

function skillCatalog(skills: readonly Listed[]): string[] {
  if (skills.length === 0) return [];
  const intro =
    'Skills are instructions for particular work. When one of these fits what you are asked to do, call ' +
    '`activate_skill` with its name before you begin:';
  return [[intro, ...skills.map(catalogLine)].join('\n')];
}

/** There also when it is empty, since the tool always is (TASK-03). */
function agentCatalog(agents: readonly Listed[]): string {
  if (agents.length === 0) return 'There are no agents to hand tasks to: do not call `task`.';
  const intro =
    'These agents take self-contained tasks. Hand one over by calling `task` with the name of the agent:';
  return [intro, ...agents.map(catalogLine)].join('\n');
}
