import type { Conversation } from '../conversation/fold/state.ts';
import type { NewRecord } from '../conversation/records/index.ts';
import type { RowChange } from '../ports/store.ts';
import type { AttemptContext } from './attempt-context.ts';

/** One delivery that joins the live response: its unit, which is also its start seam, and its row (JOI-04). */
export interface Join {
  readonly records: readonly NewRecord[];
  readonly rows: readonly RowChange[];
}

/** After this share of the host's time nothing joins any more; it waits and runs alone (JOI-07). */
const JOIN_SHARE = 0.8;

/** The queued prefix in accepted order, up to the first delivery that was asked to stop (JOI-03). */
export function joinable(
  { claim, ports, deadline, abortedIds }: AttemptContext,
  state: Conversation,
): Join[] {
  const closes = deadline - claim.row.timeoutMs * (1 - JOIN_SHARE);
  if (ports.clock.now() >= closes) return [];
  const joins: Join[] = [];
  for (const { submissionId, kind, state: status } of state.queue.pending) {
    if (status !== 'queued') continue;
    if (kind !== 'delivery' || abortedIds.has(submissionId)) break;
    joins.push(join(submissionId, claim.row.submissionId));
  }
  return joins;
}

function join(submissionId: string, host: string): Join {
  return {
    records: [
      { type: 'submission_moved', submissionId, to: 'joined', host },
      { type: 'seam_closed', submissionId, seam: 'start' },
    ],
    rows: [{ submissionId, to: 'joined', host }],
  };
}
