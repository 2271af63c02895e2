import { overflowsInARow } from '../../conversation/fold/evidence.ts';
import { contextTokens, usedTokens, windowOf } from '../../conversation/fold/queries.ts';
import { ROOT, type Window } from '../../conversation/fold/state.ts';
import { conversationId, type NewRecord } from '../../conversation/records/index.ts';
import { FlueError } from '../../errors/flue-error.ts';
import { isStoreFailure } from '../../ports/store-errors.ts';
import { OperationFailedError } from '../errors.ts';
import type { RenderedFrame } from '../render.ts';
import { promptTokens, requestMessages } from '../request.ts';
import type { ConversationScope } from '../turn-scope.ts';
import { type CompactionOrder, type CompactionPlan, compact, planCompaction } from './compact.ts';

/** Overflows in a row that are recovered from (OVER-03). */
const RECOVERIES = 2;
/** After a failed compaction the context has to grow by this share of the window before it is tried again (CMP-11). */
const GROWTH = 0.05;

/** Used tokens from which a conversation whose compaction failed is tried again. As lasting as the state in memory. */
const retryFrom = new WeakMap<Window, number>();

export type Order = Pick<CompactionOrder, 'reason' | 'tokensBefore' | 'instructions'>;

/** A conversation as its compaction sees it. */
export interface Compactable<F extends RenderedFrame = RenderedFrame> {
  readonly scope: ConversationScope;
  /** By which the next request will be made. */
  readonly frame: () => F;
  /** Commits the compaction with what has to go with it; returns the frame of the requests that follow. */
  readonly commit: (record: NewRecord) => Promise<F>;
}

/**
 * Compacts before the call that is due when the context has grown over the threshold (CMP-03, CMP-04). Returns the frame
 * that the compaction left, or the given one when nothing was changed; a failure is told to the log only (CMP-11).
 */
export async function compactAtThreshold<F extends RenderedFrame>(of: Compactable<F>, frame: F): Promise<F> {
  const { scope } = of;
  const { limits } = scope.compaction;
  if (limits.threshold === undefined) return frame;
  const used = tokensUsed(scope, frame);
  const window = windowOf(scope.sink.state, scope.conv);
  if (used <= limits.threshold || used < (retryFrom.get(window) ?? 0)) return frame;
  const order = { reason: 'threshold', tokensBefore: used, keepTokens: limits.keepRecentTokens } as const;
  try {
    const after = await tryCompaction(of, order);
    if (after) retryFrom.delete(window);
    return after ?? frame;
  } catch (error) {
    log(scope, 'threshold', contained(error, scope));
    retryFrom.set(window, used + GROWTH * scope.model.info.contextWindow);
    return frame;
  }
}

/**
 * After an overflow: compacts whatever the threshold setting is, so that the turn can run again (OVER-02). Returns the
 * failure to end with when no smaller request can be made (OVER-05).
 */
export async function recoverFromOverflow(of: Compactable): Promise<FlueError | undefined> {
  const { scope } = of;
  const { state } = scope.sink;
  const inARow = overflowsInARow(state, scope.conv);
  if (inARow === 0) return undefined;
  if (inARow > RECOVERIES) return overflowFailure(scope, inARow);
  const frame = of.frame();
  const used = tokensUsed(scope, frame);
  // The window may be smaller than it is said to be, so a tail that is most of the conversation is too much of it.
  const share = contextTokens(state, scope.conv) / 2 ** inARow;
  const keepTokens = Math.min(scope.compaction.limits.keepRecentTokens, Math.floor(share));
  try {
    const order = { reason: 'overflow', tokensBefore: used, keepTokens } as const;
    if (await tryCompaction(of, order)) return retrying(scope, inARow);
  } catch (error) {
    log(scope, 'overflow', contained(error, scope));
  }
  if (requestMessages(scope, frame).saved > 0) return retrying(scope, inARow);
  return overflowFailure(scope, inARow);
}

/** Compacts because somebody asked for it; false when there is nothing to compact (CMP-12). Rejects as `summarize` does. */
export async function compactNow(of: Compactable): Promise<boolean> {
  const tokensBefore = tokensUsed(of.scope, of.frame());
  const keepTokens = of.scope.compaction.limits.keepRecentTokens;
  return (await tryCompaction(of, { reason: 'manual', tokensBefore, keepTokens })) !== undefined;
}

/** What the conversation has used of the model's window, by the last report where there is one (CMP-05). */
export function tokensUsed(scope: ConversationScope, frame: RenderedFrame): number {
  return usedTokens(scope.sink.state, () => promptTokens(scope, frame), scope.conv);
}

/** `undefined`: there is nothing to compact (CMP-12). */
async function tryCompaction<F extends RenderedFrame>(
  of: Compactable<F>,
  { keepTokens, ...order }: Order & { readonly keepTokens: number },
): Promise<F | undefined> {
  const { sink, conv } = of.scope;
  const planned = (keep: number) => planCompaction(sink.state, keep, conv);
  const plan = planned(keepTokens) ?? (order.reason === 'overflow' ? planned(0) : undefined);
  return plan && of.commit(await summarized(of.scope, plan, order));
}

/** The record of a compaction, not yet written. Rejects as `summarize` does. */
export async function summarized(
  scope: ConversationScope,
  plan: CompactionPlan,
  order: Order,
): Promise<NewRecord> {
  const { conv, sink, trace, gateway, clock, signal, deadline, identity } = scope;
  const { limits, model } = scope.compaction;
  const { incarnation } = sink.state;
  const start = { reason: order.reason, estimatedTokens: order.tokensBefore };
  const told = trace.compactionStarted(sink.state, conv, start);
  try {
    return await compact(
      sink.state,
      plan,
      { ...order, limits, submissionId: scope.host },
      {
        gateway,
        clock,
        settings: scope.modelSettings,
        signal,
        deadline,
        model,
        agent: identity,
        sessionId: conv === ROOT ? incarnation : conversationId(incarnation, conv),
        trace: told,
      },
    );
  } catch (error) {
    trace.compactionFailed(conv, error);
    throw error;
  }
}

/** A failed summary changes nothing and fails nothing else; an abort, and what is no failure of a model, goes on. */
export function contained(error: unknown, { signal }: Pick<ConversationScope, 'signal'>): FlueError {
  if (signal.aborted || !FlueError.is(error) || isStoreFailure(error)) throw error;
  return error;
}

function log({ emitLog }: ConversationScope, reason: Order['reason'], error: FlueError): void {
  emitLog({
    level: 'warn',
    message: '[flue:compaction] The conversation could not be compacted.',
    attributes: { reason, type: error.type, error: error.message },
  });
}

function retrying({ trace, sink, conv, host }: ConversationScope, inARow: number): undefined {
  const retry = { attempt: inARow, maxRetries: RECOVERIES, delayMs: 0 };
  trace.retrying({ state: sink.state, conv, host }, retry);
}

function overflowFailure({ model }: ConversationScope, attempts: number): FlueError {
  const { provider, id } = model.info;
  return new OperationFailedError(
    {
      operation: 'turn',
      reason: 'context_overflow',
      category: 'overflow',
      provider,
      model: id,
      retryable: false,
      attempts,
    },
    {
      dev: 'The conversation does not fit the model, and nothing of it can be left out. Use a model with a larger context window, or let tools return less.',
    },
  );
}
