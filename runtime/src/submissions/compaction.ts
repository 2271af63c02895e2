import { bodyOf } from '../conversation/fold/calls.ts';
import { type ResponseEvidence, responseEvidence } from '../conversation/fold/evidence.ts';
import { compactionRequests, contextTokens, usedTokens } from '../conversation/fold/queries.ts';
import { type Conversation, type Pending, ROOT } from '../conversation/fold/state.ts';
import type { NewRecord } from '../conversation/records/index.ts';
import {
  type CompactionOrder,
  type CompactionPlan,
  compact,
  planCompaction,
} from '../engine/compaction/compact.ts';
import { OperationFailedError } from '../engine/errors.ts';
import { baseline } from '../engine/narrate-turn.ts';
import type { RenderedFrame } from '../engine/render.ts';
import { promptTokens, requestMessages } from '../engine/request.ts';
import type { BatchBuilder } from '../engine/sink.ts';
import type { TurnScope } from '../engine/turn-scope.ts';
import { FlueError } from '../errors/flue-error.ts';
import { isStoreFailure } from '../ports/store-errors.ts';
import type { AttemptContext } from './attempt-context.ts';
import { renderNow } from './render-now.ts';
import { settleRequests } from './settle.ts';
import type { StreamWriter } from './stream-writer.ts';

/** Overflows in a row that are recovered from (OVER-03). */
const RECOVERIES = 2;
/** After a failed compaction the context has to grow by this share of the window before it is tried again (CMP-11). */
const GROWTH = 0.05;

/** Used tokens from which a conversation whose compaction failed is tried again. As lasting as the state in memory. */
const retryFrom = new WeakMap<Conversation, number>();

type Order = Pick<CompactionOrder, 'reason' | 'tokensBefore' | 'instructions'>;

/**
 * Compacts before the call that is due when the context has grown over the threshold (CMP-03, CMP-04). Returns the frame
 * of the new baseline, or the given one when nothing was changed; a failure is told to the log only (CMP-11).
 */
export async function compactAtThreshold(
  context: AttemptContext,
  writer: StreamWriter,
  scope: TurnScope,
  frame: RenderedFrame,
): Promise<RenderedFrame> {
  const { limits } = scope.compaction;
  const { state } = writer;
  if (limits.threshold === undefined) return frame;
  const used = usedTokens(state, () => promptTokens(scope, frame));
  if (used <= limits.threshold || used < (retryFrom.get(state) ?? 0)) return frame;
  const order = { reason: 'threshold', tokensBefore: used, keepTokens: limits.keepRecentTokens } as const;
  try {
    const rebased = await tryCompaction(context, writer, scope, order);
    if (rebased) retryFrom.delete(state);
    return rebased ?? frame;
  } catch (error) {
    log(scope, 'threshold', contained(error, scope));
    retryFrom.set(state, used + GROWTH * scope.model.info.contextWindow);
    return frame;
  }
}

/**
 * After an overflow: compacts whatever the threshold setting is, so that the turn can run again (OVER-02). Returns the
 * failure to settle with when no smaller request can be made (OVER-05).
 */
export async function recoverFromOverflow(
  context: AttemptContext,
  writer: StreamWriter,
  scope: TurnScope,
): Promise<FlueError | undefined> {
  const evidence = responseEvidence(writer.state);
  if (evidence.kind !== 'failed' || evidence.fault !== 'overflow') return undefined;
  if (evidence.inARow > RECOVERIES) return overflowFailure(scope, evidence);
  const frame = renderNow(writer, scope);
  const used = usedTokens(writer.state, () => promptTokens(scope, frame));
  // The window may be smaller than it is said to be, so a tail that is most of the conversation is too much of it.
  const share = contextTokens(writer.state) / 2 ** evidence.inARow;
  const keepTokens = Math.min(scope.compaction.limits.keepRecentTokens, Math.floor(share));
  try {
    const order = { reason: 'overflow', tokensBefore: used, keepTokens } as const;
    if (await tryCompaction(context, writer, scope, order)) return retrying(context, writer, evidence);
  } catch (error) {
    log(scope, 'overflow', contained(error, scope));
  }
  if (requestMessages(scope, frame).saved > 0) return retrying(context, writer, evidence);
  return overflowFailure(scope, evidence);
}

export interface Answer {
  /** the compaction, if there was anything to compact, and the settlement of the requests that wait */
  readonly units: (batch: BatchBuilder) => void;
  /** why the summary failed, which leaves the conversation as it was */
  readonly failure: FlueError | undefined;
}

/**
 * Answers every open request with one compaction, by the instructions of the oldest (RCD-45, HND-21). The units are the
 * caller's to write; one that has its own turn is settled by it.
 */
export async function answerRequests(
  context: AttemptContext,
  writer: StreamWriter,
  scope: TurnScope,
): Promise<Answer> {
  const { state } = writer;
  const requests = openRequests(context, state);
  const waiting = requests.filter((request) => request.state === 'queued');
  const answer = (failure?: FlueError, compaction?: (batch: BatchBuilder) => unknown): Answer => ({
    units: (batch) => {
      compaction?.(batch);
      settleRequests(batch, context, state, waiting, failure);
    },
    failure,
  });
  const plan = planCompaction(state, scope.compaction.limits.keepRecentTokens);
  if (!plan || requests.length === 0) return answer();
  const tokensBefore = usedTokens(state, () => promptTokens(scope, renderNow(writer, scope)));
  const order: Order = { reason: 'manual', tokensBefore, instructions: instructionsOf(requests[0]!) };
  try {
    const record = await summarized(context, writer, scope, plan, order);
    await scope.environments.lookAgain();
    return answer(undefined, (batch) => rebase(batch, writer, scope, record));
  } catch (error) {
    return answer(contained(error, scope));
  }
}

/** What was asked to stop is settled as that. */
export function openRequests({ abortedIds }: AttemptContext, state: Conversation): Pending[] {
  return compactionRequests(state).filter(({ submissionId }) => !abortedIds.has(submissionId));
}

/** In a commit of its own. `undefined`: there is nothing to compact (CMP-12). */
async function tryCompaction(
  context: AttemptContext,
  writer: StreamWriter,
  scope: TurnScope,
  { keepTokens, ...order }: Order & { readonly keepTokens: number },
): Promise<RenderedFrame | undefined> {
  const { state } = writer;
  const plan =
    planCompaction(state, keepTokens) ?? (order.reason === 'overflow' ? planCompaction(state, 0) : undefined);
  if (!plan) return undefined;
  const record = await summarized(context, writer, scope, plan, order);
  await scope.environments.lookAgain();
  let frame: RenderedFrame | undefined;
  await writer.write((batch) => {
    frame = rebase(batch, writer, scope, record);
  });
  return frame;
}

/** The compaction and the new baseline, from which changes are told from now on: one unit (NARR-25, AGENT-07d). */
function rebase(
  batch: BatchBuilder,
  writer: StreamWriter,
  scope: TurnScope,
  record: NewRecord,
): RenderedFrame {
  const frame = renderNow(writer, scope);
  batch.add([record, baseline(scope, frame)]);
  return frame;
}

async function summarized(
  context: AttemptContext,
  writer: StreamWriter,
  scope: TurnScope,
  plan: CompactionPlan,
  order: Order,
): Promise<NewRecord> {
  const { limits, model } = scope.compaction;
  const { trace } = context;
  trace.compactionStarted(writer.state, { reason: order.reason, estimatedTokens: order.tokensBefore });
  try {
    return await compact(
      writer.state,
      plan,
      { ...order, limits, submissionId: scope.host },
      {
        gateway: scope.gateway,
        clock: scope.clock,
        settings: context.ports.settings.model,
        signal: scope.signal,
        deadline: context.deadline,
        model,
        agent: scope.identity,
        sessionId: writer.state.incarnation,
        trace,
      },
    );
  } catch (error) {
    trace.compactionFailed(error);
    throw error;
  }
}

function instructionsOf({ held }: Pending): string | undefined {
  const record = bodyOf(held);
  return record.type === 'compaction_requested' ? record.instructions : undefined;
}

/** A failed summary changes nothing and fails nothing else; an abort, and what is no failure of a model, goes on. */
function contained(error: unknown, { signal }: TurnScope): FlueError {
  if (signal.aborted || !FlueError.is(error) || isStoreFailure(error)) throw error;
  return error;
}

function log({ emitLog }: TurnScope, reason: Order['reason'], error: FlueError): void {
  emitLog({
    level: 'warn',
    message: '[flue:compaction] The conversation could not be compacted.',
    attributes: { reason, type: error.type, error: error.message },
  });
}

function retrying(
  { trace, claim }: AttemptContext,
  { state }: StreamWriter,
  { inARow }: Extract<ResponseEvidence, { kind: 'failed' }>,
): undefined {
  const failed = { state, conv: ROOT, host: claim.row.submissionId };
  trace.retrying(failed, { attempt: inARow, maxRetries: RECOVERIES, delayMs: 0 });
}

function overflowFailure(
  { model }: TurnScope,
  { inARow }: Extract<ResponseEvidence, { kind: 'failed' }>,
): FlueError {
  const { provider, id } = model.info;
  return new OperationFailedError(
    {
      operation: 'turn',
      reason: 'context_overflow',
      category: 'overflow',
      provider,
      model: id,
      retryable: false,
      attempts: inARow,
    },
    {
      dev: 'The conversation does not fit the model, and nothing of it can be left out. Use a model with a larger context window, or let tools return less.',
    },
  );
}
