import type { NewRecord } from '../conversation/records/index.ts';
import type { Resources } from '../ports/model-shapes.ts';
import { GENERATION } from '../ports/sandbox.ts';
import { type Catalog, type CatalogEntry, digest, narrate, snapshotOf } from './narration.ts';
import type { RenderedFrame } from './render.ts';
import type { Workspace } from './sandbox/workspace.ts';
import type { BatchBuilder } from './sink.ts';
import { composePrompt } from './system-prompt.ts';
import { toolDigest } from './tools/tool-digest.ts';
import type { TurnScope } from './turn-scope.ts';

/** Tells the model what changed since it was last told; the first time, records the baseline silently (NARR-02). */
export function narrateTurn(
  batch: BatchBuilder,
  scope: Pick<TurnScope, 'sink' | 'host' | 'clock' | 'workspace'>,
  frame: RenderedFrame,
): void {
  const { state } = scope.sink;
  if (!state.resources) {
    batch.add([baseline(scope, frame)]);
    return;
  }
  const catalog = catalogOf(frame);
  const snapshot = snapshotOf(catalog, environmentOf(scope.workspace));
  const recorded = { type: 'resources_recorded' as const, submissionId: scope.host, snapshot };
  const signals = narrate(state.resources.last, snapshot, catalog);
  if (signals.length === 0) return;
  batch.add([
    ...signals.map((signal): NewRecord => ({ type: 'signal', submissionId: scope.host, ...signal })),
    recorded,
  ]);
}

/** What the system prompt says besides the instruction document, and what it was composed from (RCD-32, NARR-25). */
export function baseline(
  scope: Pick<TurnScope, 'host' | 'clock' | 'workspace'>,
  frame: RenderedFrame,
): NewRecord {
  return {
    type: 'resources_recorded',
    submissionId: scope.host,
    snapshot: snapshotOf(catalogOf(frame), environmentOf(scope.workspace)),
    prompt: composePrompt({ workspace: scope.workspace, now: scope.clock.now(), ...frame }),
  };
}

function catalogOf(frame: RenderedFrame): Catalog {
  const tools = frame.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    digest: toolDigest(tool),
  }));
  return {
    instructions: frame.instructions,
    skills: frame.skills.map(catalogEntry),
    tools,
    subagents: frame.subagents.map(catalogEntry),
  };
}

/** What counts as an update of a skill or a delegate is its catalog line (NARR-13). */
function catalogEntry({ name, description }: Pick<CatalogEntry, 'name' | 'description'>): CatalogEntry {
  return { name, description, digest: digest(description) };
}

function environmentOf({ attached, env }: Workspace): Resources['environment'] {
  const { cwd, [GENERATION]: generation } = env;
  return { attached, cwd, ...(generation !== undefined && { generation }) };
}
