import { formatOffset } from '../../ports/offset.ts';
import type { CommitResult } from '../../ports/store.ts';

/** What an owner learns with each commit, without another read (CMT-08). */
export interface QueueState {
  readonly abort_requested_at: number | null;
  readonly queued: number;
}

/** Columns of `QueueState` for a statement over `flue_instance`. */
export const QUEUE_STATE = `
  (SELECT h.abort_requested_at FROM flue_submission h WHERE h.id = head_row) AS abort_requested_at,
  EXISTS (SELECT 1 FROM flue_submission q
    WHERE q.instance = flue_instance.id AND q.outcome IS NULL AND q.status = 'queued') AS queued`;

export function queueResult(batch: number, state: QueueState): CommitResult {
  return {
    offset: formatOffset(batch),
    ...(state.abort_requested_at === null ? {} : { abortRequestedAt: state.abort_requested_at }),
    queued: state.queued === 1,
  };
}
