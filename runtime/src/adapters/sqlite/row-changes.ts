import type { RowChange, SubmissionRow } from '../../ports/store.ts';
import { ConversationStreamStoreError } from '../../ports/store-errors.ts';
import type { Connection } from './connection.ts';
import { prepareLoad, prepareSubmission } from './load.ts';
import { encodeText } from './text.ts';

export interface ChangeTarget {
  readonly path: string;
  readonly instance: number;
  /** id of the head row before the changes */
  readonly headRow: number;
  /** number of the batch that carries the changes */
  readonly batch: number;
}

/** Thrown inside the transaction; the rows to show are those that stand once it has rolled back. */
export class RowChangeRefused extends Error {
  readonly path: string;
  readonly submissionIds: readonly string[];

  constructor(path: string, changes: readonly RowChange[], why: string) {
    super(why);
    this.path = path;
    this.submissionIds = changes.map((change) => change.submissionId);
  }
}

/** CMT-04, CMT-06 and RCD-42. Each change is one conditional statement; one that hits no row refuses the commit. */
export function prepareRowChanges({ db, now }: Connection) {
  const run = db.prepare(
    `UPDATE flue_submission SET input = coalesce(input, @batch)
     WHERE id = @headRow AND submission_id = @id AND status = 'running'`,
  );
  const join = db.prepare(
    `UPDATE flue_submission SET status = 'joined', host = @host, input = @batch
     WHERE submission_id = @id AND instance = @instance AND status = 'queued' AND abort_requested_at IS NULL
       AND EXISTS (SELECT 1 FROM flue_submission h
         WHERE h.id = @headRow AND h.submission_id = @host AND h.status = 'running')
       AND NOT EXISTS (SELECT 1 FROM flue_submission q WHERE q.instance = @instance AND q.outcome IS NULL
         AND q.status = 'queued' AND q.id < flue_submission.id)`,
  );
  const requeue = db.prepare(
    `UPDATE flue_submission SET status = 'queued', attempts = attempts - @refund
     WHERE id = @headRow AND submission_id = @id AND status = 'running'`,
  );
  const settle = db.prepare(
    `UPDATE flue_submission SET status = 'settled', outcome = @outcome, error = @error, settled = @batch,
       settled_at = @now
     WHERE submission_id = @id AND instance = @instance AND outcome IS NULL`,
  );
  return (target: ChangeTarget, changes: readonly RowChange[]): void => {
    for (const change of changes) {
      if (applyChange(target, change) === 1) continue;
      throw new RowChangeRefused(
        target.path,
        changes,
        `"${change.submissionId}" cannot become ${change.to}.`,
      );
    }
  };

  /** Rows changed: 1, or 0 when the change does not apply. */
  function applyChange({ instance, headRow, batch }: ChangeTarget, change: RowChange): number {
    const id = encodeText(change.submissionId);
    switch (change.to) {
      case 'running':
        return run.run({ id, headRow, batch }).changes;
      case 'joined':
        return join.run({ id, instance, headRow, batch, host: encodeText(change.host) }).changes;
      case 'queued':
        return requeue.run({ id, headRow, refund: change.refund ? 1 : 0 }).changes;
      case 'settled': {
        const error = change.error === undefined ? null : JSON.stringify(change.error);
        return settle.run({ id, instance, batch, error, outcome: change.outcome, now: now() }).changes;
      }
    }
  }
}

/** The refusal as the caller sees it, with the rows as they stand (CMT-04). */
export function prepareExplainRefusal(connection: Connection) {
  const load = prepareLoad(connection);
  const findRow = prepareSubmission(connection);
  return (refusal: RowChangeRefused): ConversationStreamStoreError => {
    const open = load(refusal.path)?.rows ?? [];
    const named = refusal.submissionIds
      .filter((id) => !open.some((row) => row.submissionId === id))
      .map((id) => findRow(id))
      .filter((row): row is SubmissionRow => row !== null);
    const { path, message: dev } = refusal;
    return new ConversationStreamStoreError({
      operation: 'commit',
      path,
      reason: 'row_change',
      dev,
      rows: [...named, ...open],
    });
  };
}
