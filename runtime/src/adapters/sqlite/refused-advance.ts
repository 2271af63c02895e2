import type { Commit, CommitResult, Fence } from '../../ports/store.ts';
import { ConversationStreamStoreError, OwnershipLostError } from '../../ports/store-errors.ts';
import { BATCH_KEY } from './batches.ts';
import type { Connection } from './connection.ts';
import { QUEUE_STATE, type QueueState, queueResult } from './queue-state.ts';
import { decodeRecords, encodeText } from './text.ts';

interface Standing extends QueueState {
  readonly id: number;
  readonly epoch: number;
  readonly epoch_owner: string | null;
  readonly batch_seq: number;
  readonly batch_last: number;
  readonly owned: number;
  readonly retired: number;
}

/**
 * Why a commit did not advance its instance: ownership lost (CMT-01), the last batch once more, answered as before, or
 * a `seq` that does not follow (CMT-03). A repeat is recognized after the release that it made, too.
 */
export function prepareRefusedAdvance({ db }: Connection) {
  const find = db.prepare<[string], Standing>(
    `SELECT id, epoch, epoch_owner, batch_seq, batch_last, owner IS NOT NULL AS owned,
       EXISTS (SELECT 1 FROM flue_owner o WHERE o.id = owner AND o.state = 'stopped') AS retired, ${QUEUE_STATE}
     FROM flue_instance WHERE path = ?`,
  );
  const findBatch = db.prepare<[number, number], { readonly draft: number; readonly records: string }>(
    `SELECT draft, records FROM flue_batch WHERE key = ${BATCH_KEY}`,
  );
  const findRow = db.prepare<
    [string],
    { status: string; outcome: string | null; host: string | null; input: number | null }
  >('SELECT status, outcome, host, input FROM flue_submission WHERE submission_id = ?');

  return (f: Fence, c: Commit): CommitResult => {
    const standing = find.get(encodeText(f.path));
    if (!standing || standing.epoch !== f.epoch || standing.epoch_owner !== encodeText(f.ownerId))
      throw lost(f);
    const repeats = c.seq === standing.batch_seq && c.seq > 0;
    if (repeats && isSame(standing, c)) return queueResult(standing.batch_last, standing);
    if (standing.owned === 0 || standing.retired === 1) throw lost(f);
    throw new ConversationStreamStoreError({
      operation: 'commit',
      path: f.path,
      reason: repeats ? 'sequence_conflict' : 'sequence_gap',
      dev: repeats
        ? `batch ${c.seq} of epoch ${f.epoch} was committed with other content.`
        : `batch ${c.seq} of epoch ${f.epoch} does not follow batch ${standing.batch_seq}.`,
    });
  };

  function isSame(standing: Standing, c: Commit): boolean {
    const stored = findBatch.get(standing.id, standing.batch_last);
    if (!stored || (stored.draft === 1) !== (c.class === 'draft')) return false;
    const records = decodeRecords(stored.records);
    if (records.length !== c.records.length || !records.every((body, i) => body === c.records[i]))
      return false;
    return (c.rows ?? []).every((change) => {
      const row = findRow.get(encodeText(change.submissionId));
      if (!row) return false;
      if (change.to === 'settled') return row.outcome === change.outcome;
      if (change.to === 'joined') return row.host === encodeText(change.host);
      if (change.to === 'running') return row.input !== null;
      return row.status !== 'settled';
    });
  }
}

function lost(f: Fence): OwnershipLostError {
  return new OwnershipLostError({ path: f.path, epoch: f.epoch });
}
