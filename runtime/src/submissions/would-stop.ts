import { LIMITS } from '../contract/limits.ts';
import { OperationFailedError } from '../engine/errors.ts';
import type { HarnessFrame } from '../engine/harness/held-harness.ts';
import type { RenderedFrame } from '../engine/render.ts';
import { responseSoFar, runFinishSeam, runResponseSeam } from '../engine/seams.ts';
import type { TurnScope } from '../engine/turn-scope.ts';
import type { Ahead } from './ahead.ts';
import type { AttemptContext } from './attempt-context.ts';
import { somethingJoins } from './joins.ts';
import { seamRecords, seamScope } from './open-turn.ts';
import type { End } from './settle.ts';
import { isAborted, isOverdue, mayStart, unwound } from './stop.ts';
import type { StreamWriter } from './stream-writer.ts';

/**
 * The point where the model has ended: deliveries that wait join first (FIN-03), then finish hooks are asked (FIN-01).
 * Returns how the response ends, or `undefined` when it goes on.
 *
 * The answer is complete. Whoever stops the submission from here on, or the deadline, ends it as completed and without
 * the hooks that are left, as recovery would (REC-08).
 */
export async function wouldStop(
  context: AttemptContext,
  writer: StreamWriter,
  scope: TurnScope,
  frame: HarnessFrame,
  ahead: Ahead,
): Promise<End | undefined> {
  const done: End = { do: 'settle', outcome: 'completed', lead: ahead.lead };
  if (isAborted(context, writer) || isOverdue(context)) return done;
  if (await somethingJoins(context, writer)) return undefined;
  try {
    if (await finishHooksContinue(context, writer, scope, frame, ahead)) return undefined;
    if (await somethingJoins(context, writer)) return undefined;
    return await finishResponse(writer, scope, frame, ahead, done);
  } catch (error) {
    if (!context.signal.aborted) throw error;
    const stop = unwound(context);
    return stop.do === 'release' ? { ...stop, lead: ahead.lead } : done;
  }
}

/** One evaluation (FIN-02): a cycle that appended is a unit, and the model goes on; any other leaves nothing behind. */
async function finishHooksContinue(
  context: AttemptContext,
  writer: StreamWriter,
  scope: TurnScope,
  frame: HarnessFrame,
  ahead: Ahead,
): Promise<boolean> {
  const callbacks = frame.eventHooks.useAgentFinish;
  if (callbacks.length === 0) return false;
  await ahead.commit(writer);
  await mayStart(context);
  const cycles = writer.state.response?.cycles ?? 0;
  const seam = seamScope(scope, frame);
  const appended = await runFinishSeam(seam, callbacks, responseSoFar(writer.state), (some) => {
    if (some.length > 0 && cycles >= LIMITS.finishCycles) throw continuedTooOften(scope.identity);
  });
  if (appended.length === 0) return false;
  const writes = scope.values.take();
  ahead.add((batch) =>
    batch.add([
      ...seamRecords(scope.host, appended, writes),
      { type: 'seam_closed', submissionId: scope.host, seam: 'finish', cycle: cycles + 1 },
    ]),
  );
  return true;
}

/** RESP-02: nothing follows any more, so what observers see is final. */
async function finishResponse(
  writer: StreamWriter,
  scope: TurnScope,
  { eventHooks }: RenderedFrame,
  ahead: Ahead,
  done: Extract<End, { do: 'settle' }>,
): Promise<End> {
  await scope.data.flushed();
  if (eventHooks.useResponseFinish.length === 0) return done;
  await ahead.commit(writer);
  const { response } = writer.state;
  const metadata = runResponseSeam(scope, 'useResponseFinish', eventHooks, {
    metadata: response?.metadata,
    soFar: responseSoFar(writer.state),
  });
  return { ...done, ...(metadata && { metadata }) };
}

/** FIN-06: the count comes from the records, so a restart does not start it anew (JOI-08). */
function continuedTooOften(agent: string): OperationFailedError {
  const limit = LIMITS.finishCycles;
  return new OperationFailedError(
    {
      operation: 'hook',
      reason: `finish hooks continued the response more than ${limit} times.`,
      category: 'hook',
      hook: 'useAgentFinish',
      agent,
      limit,
      rule: 'FLUE2308',
    },
    { dev: 'Let the hook give up after a bounded number of tries: count them in usePersistentState().' },
  );
}
