import { openStartSeams } from '../conversation/fold/queries.ts';
import type { NewRecord } from '../conversation/records/index.ts';
import type { HarnessFrame } from '../engine/harness/held-harness.ts';
import type { AgentAppendMessage } from '../engine/hooks/event-hooks.ts';
import type { StateWrite } from '../engine/hooks/state-buffer.ts';
import { narrateTurn } from '../engine/narrate-turn.ts';
import type { RenderedFrame } from '../engine/render.ts';
import type { SandboxDeclaration } from '../engine/sandbox/start-environment.ts';
import { runStartSeam, type SeamScope } from '../engine/seams.ts';
import type { BatchBuilder } from '../engine/sink.ts';
import { equip, withHarness } from '../engine/subagents/delegate.ts';
import type { TurnScope } from '../engine/turn-scope.ts';
import { ConversationStreamStoreError } from '../ports/store-errors.ts';
import type { Ahead } from './ahead.ts';
import type { AttemptContext } from './attempt-context.ts';
import { join, joinable, lookForDeliveries, nextJoin } from './joins.ts';
import { renderBare } from './render-now.ts';
import type { StreamWriter } from './stream-writer.ts';

/** What the attempt began with, for the start seam of the delivery that woke it. */
export interface Waking {
  /** the initialization render */
  readonly frame: RenderedFrame;
  /** state that `useResponseStart()` callbacks wrote: it commits with that seam (RESP-07) */
  readonly writes: readonly StateWrite[];
}

/** A start seam with callbacks to run, and what is recorded with it besides what they leave. */
interface DueSeam {
  readonly submissionId: string;
  readonly frame: RenderedFrame;
  readonly writes: readonly StateWrite[];
}

/**
 * Opens a turn: the start seam of the delivery that woke the agent, then every delivery that waits, each placed, rendered
 * and seamed, then the render of the turn and what the model is told of it (SEAM-01). All of it is one commit, cut where
 * author code has to run (RCD-40): what a callback reads is durable, and what it leaves commits with its mark (SEAM-02).
 *
 * What is delivered while this works joins at the next boundary (JOI-09).
 */
export async function openTurn(
  context: AttemptContext,
  writer: StreamWriter,
  scope: TurnScope,
  ahead: Ahead,
  waking: Waking,
): Promise<HarnessFrame> {
  await lookForDeliveries(context, writer);
  const joining = joinable(context, writer.state);
  let isSwapped = false;
  for (;;) {
    await scope.loadAttachments();
    let reached: Reached | undefined;
    await writeWithoutStopped(context, writer, (batch) => {
      ahead.lead(batch);
      reached = advance(batch, { context, writer, scope, joining, waking });
    });
    ahead.clear();
    if (reached!.kind === 'turn') {
      if (isSwapped) tellOfSwap(context, writer, scope, reached!.frame);
      return reached!.frame;
    }
    if (reached!.kind === 'swap') {
      await scope.environments.follow(reached!.sandbox);
      isSwapped = true;
      continue;
    }
    const { due } = reached!;
    const appended = await runStartSeam(
      seamScope(scope, withHarness(scope, due.frame)),
      due.frame.eventHooks.useAgentStart,
    );
    const writes = [...due.writes, ...scope.values.take()];
    ahead.add((batch) => batch.add(startSeam(due.submissionId, appended, writes)));
  }
}

function tellOfSwap(
  { trace }: AttemptContext,
  { state }: StreamWriter,
  { workspace }: TurnScope,
  { tools }: RenderedFrame,
): void {
  const { attached, env } = workspace;
  trace.environmentChanged(state, { cwd: env.cwd, attached, tools: tools.map((tool) => tool.name) });
}

type Reached =
  | { readonly kind: 'turn'; readonly frame: HarnessFrame }
  | { readonly kind: 'seam'; readonly due: DueSeam }
  | { readonly kind: 'swap'; readonly sandbox: SandboxDeclaration | undefined };

/** As far as one commit goes: to the next seam that has callbacks, to a swap of the environment, or to the request. */
function advance(
  batch: BatchBuilder,
  o: {
    readonly context: AttemptContext;
    readonly writer: StreamWriter;
    readonly scope: TurnScope;
    readonly joining: readonly string[];
    readonly waking: Waking;
  },
): Reached {
  const { context, writer, scope, waking } = o;
  const { state } = writer;
  for (;;) {
    const [open] = openStartSeams(state);
    if (open) {
      const { submissionId } = open;
      const isWaking = submissionId === scope.host;
      const frame = isWaking ? waking.frame : renderBare(writer, scope);
      const writes = isWaking ? waking.writes : [];
      if (frame.eventHooks.useAgentStart.length > 0) {
        return { kind: 'seam', due: { submissionId, frame, writes } };
      }
      batch.add(startSeam(submissionId, [], writes));
      continue;
    }
    const next = nextJoin(o.joining, context, state);
    if (next === undefined) break;
    join(batch, next, scope.host);
  }
  const bare = renderBare(writer, scope);
  if (scope.environments.differs(bare.sandbox)) return { kind: 'swap', sandbox: bare.sandbox };
  const frame = equip(scope, bare);
  narrateTurn(batch, scope, frame);
  return { kind: 'turn', frame };
}

/** What the callbacks of one render are given: their harness begins with what that render declared (HARN-05). */
export function seamScope(scope: TurnScope, { openHarness }: HarnessFrame): SeamScope {
  const { identity, path, values, signal, emitProgress } = scope;
  return { identity, path, values, signal, emitProgress, openHarness };
}

/** The unit of a start seam, recorded also where no hook is declared (START-04). */
function startSeam(
  submissionId: string,
  appended: readonly AgentAppendMessage[],
  writes: readonly StateWrite[],
): NewRecord[] {
  return [
    ...seamRecords(submissionId, appended, writes),
    { type: 'seam_closed', submissionId, seam: 'start' },
  ];
}

/** Signals in order of declaration, then state in order of writing (START-04, FIN-02). */
export function seamRecords(
  submissionId: string,
  appended: readonly AgentAppendMessage[],
  writes: readonly StateWrite[],
): NewRecord[] {
  return [
    ...appended.map(({ kind: _kind, type, ...content }): NewRecord => {
      return { type: 'signal', submissionId, signalType: type, ...content };
    }),
    ...writes.map((write): NewRecord => ({ type: 'state_written', submissionId, ...write })),
  ];
}

/** A delivery that was about to join and that another process asked to stop stays behind and ends on its own. */
async function writeWithoutStopped(
  context: AttemptContext,
  writer: StreamWriter,
  build: (batch: BatchBuilder) => void,
): Promise<void> {
  try {
    await writer.write(build);
  } catch (error) {
    if (!(error instanceof ConversationStreamStoreError) || error.reason !== 'row_change') throw error;
    for (const row of error.rows)
      if (row.abortRequestedAt !== undefined) context.abortedIds.add(row.submissionId);
    await writer.write(build);
  }
}
