import { type CatalogEntry, catalogLine } from './narration.ts';
import type { WorkspaceContext } from './sandbox/discover.ts';
import type { Workspace } from './sandbox/workspace.ts';

/** What the system prompt holds after the instruction document; it stays as composed until a rebaseline (NARR-03). */
export interface PromptParts {
  readonly skills: readonly Listed[];
  readonly subagents: readonly Listed[];
  readonly workspace: Pick<Workspace, 'attached' | 'env' | 'context'>;
  /** epoch milliseconds */
  readonly now: number;
}

type Listed = Pick<CatalogEntry, 'name' | 'description'>;

/** In the order of WCTX-02. Later changes of a catalog are told by signals (NARR-01). */
export function composePrompt({ skills, subagents, workspace, now }: PromptParts): string {
  const date = `Current date: ${new Date(now).toISOString().slice(0, 10)}`;
  return [
    ...contextFiles(workspace.context),
    ...skillCatalog(skills),
    agentCatalog(subagents),
    date,
    workingDirectory(workspace),
    listing(workspace.context),
  ].join('\n\n');
}

function contextFiles({ files }: WorkspaceContext): string[] {
  if (files.length === 0) return [];
  const intro = 'The following text comes from files of the workspace:';
  const blocks = files.map(
    ({ path, text }) => `<workspace_file path="${path}">\n${text.trimEnd()}\n</workspace_file>`,
  );
  return [[intro, ...blocks].join('\n')];
}

function workingDirectory({ attached, env }: PromptParts['workspace']): string {
  const directory = `Working directory: ${env.cwd}`;
  return attached
    ? directory
    : `${directory}\nThis workspace is kept in memory: its files last for the present message only.`;
}

function listing({ names, left }: WorkspaceContext): string {
  if (names.length === 0) return 'The working directory is empty.';
  const rest = left > 0 ? [`(and ${left} more)`] : [];
  return ['The working directory holds:', ...names, ...rest].join('\n');
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
