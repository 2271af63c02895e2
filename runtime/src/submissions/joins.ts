import type { Conversation } from '../conversation/fold/state.ts';
import type { NewRecord } from '../conversation/records/index.ts';
import type { BatchBuilder } from '../engine/sink.ts';
import type { AttemptContext } from './attempt-context.ts';
import type { StreamWriter } from './stream-writer.ts';

/** After this share of the host's time nothing joins any more; it waits and runs alone (JOI-07). */
const JOIN_SHARE = 0.8;

/** The queued prefix in accepted order, up to the first delivery that was asked to stop (JOI-03). */
export function joinable(
  { claim, ports, deadline, abortedIds }: AttemptContext,
  state: Conversation,
): string[] {
  const closes = deadline - claim.row.timeoutMs * (1 - JOIN_SHARE);
  if (ports.clock.now() >= closes) return [];
  const joining: string[] = [];
  for (const { submissionId, kind, state: status } of state.queue.pending) {
    if (status !== 'queued') continue;
    if (kind !== 'delivery' || abortedIds.has(submissionId)) break;
    joining.push(submissionId);
  }
  return joining;
}

/** The first of `joining` that is still to be taken; none once one of them was asked to stop (JOI-03). */
export function nextJoin(
  joining: readonly string[],
  { abortedIds }: AttemptContext,
  state: Conversation,
): string | undefined {
  const queued = new Set(
    state.queue.pending.filter((one) => one.state === 'queued').map((one) => one.submissionId),
  );
  const next = joining.find((submissionId) => queued.has(submissionId));
  return next !== undefined && abortedIds.has(next) ? undefined : next;
}

/** Places a delivery in the live response: its record and its row, in one commit (JOI-04). */
export function join(batch: BatchBuilder, submissionId: string, host: string): void {
  const moved: NewRecord = { type: 'submission_moved', submissionId, to: 'joined', host };
  batch.add([moved], [{ submissionId, to: 'joined', host }]);
}

/** At would-stop, deliveries that wait are taken first (JOI-02). */
export async function somethingJoins(context: AttemptContext, writer: StreamWriter): Promise<boolean> {
  await lookForDeliveries(context, writer);
  return joinable(context, writer.state).length > 0;
}

/** Reads what was admitted since the state was last caught up, if anything may have been. */
export async function lookForDeliveries(context: AttemptContext, writer: StreamWriter): Promise<void> {
  if (writer.queued || context.mayHaveQueued()) await writer.catchUp();
}
