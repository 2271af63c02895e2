import type { AttachmentPut, Commit, CommitResult, Fence } from '../../ports/store.ts';
import { preparePutAttachments } from './attachments.ts';
import { prepareInsertBatch } from './batches.ts';
import type { Connection } from './connection.ts';
import { QUEUE_STATE, type QueueState, queueResult } from './queue-state.ts';
import { prepareRefusedAdvance } from './refused-advance.ts';
import { prepareRowChanges, RowChangeRefused } from './row-changes.ts';
import { encodeText } from './text.ts';

interface Advanced extends QueueState {
  readonly id: number;
  readonly incarnation: string;
  readonly head: number;
  readonly head_row: number;
}

interface Finished extends QueueState {
  readonly head_row: number | null;
  readonly owner: number | null;
  readonly joined: number;
}

interface Committed {
  readonly result: CommitResult;
  /** the commit ended ownership (CMT-07) */
  readonly ended: boolean;
}

/**
 * CMT-01..CMT-09. The first statement is the fence: it moves the instance to its next offset only for the current
 * owner, epoch and `seq`, so nothing that this process remembers is ever trusted.
 */
export function prepareCommit(connection: Connection) {
  const { db } = connection;
  const advance = db.prepare<[number, string, number, number, string], Advanced>(
    `UPDATE flue_instance SET head = head + 1, batch_seq = ?, batch_last = head + 1
     WHERE path = ? AND epoch = ? AND batch_seq = ?
       AND owner = (SELECT o.id FROM flue_owner o WHERE o.owner_id = ? AND o.state = 'live')
     RETURNING id, incarnation, head, head_row, ${QUEUE_STATE}`,
  );
  const finish = db.prepare<[number, number], Finished>(
    `UPDATE flue_instance SET
       head_row = (SELECT min(s.id) FROM flue_submission s
         WHERE s.instance = flue_instance.id AND s.outcome IS NULL AND s.status <> 'joined'),
       owner = CASE WHEN ? OR EXISTS (SELECT 1 FROM flue_submission h
         WHERE h.id = flue_instance.head_row AND h.outcome IS NOT NULL) THEN NULL ELSE owner END
     WHERE id = ? RETURNING head_row, owner, ${QUEUE_STATE},
       EXISTS (SELECT 1 FROM flue_submission j
         WHERE j.instance = flue_instance.id AND j.outcome IS NULL AND j.status = 'joined') AS joined`,
  );
  const putCheckpoint = db.prepare(
    `INSERT INTO flue_checkpoint (instance, batch, incarnation, fold_format, data) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (instance) DO UPDATE SET batch = excluded.batch, incarnation = excluded.incarnation,
       fold_format = excluded.fold_format, data = excluded.data`,
  );
  const reclaim = db.prepare(
    `DELETE FROM flue_batch WHERE draft = 1
       AND key IN (SELECT (@instance << 32) + value FROM json_each(@batches) WHERE value < @head)`,
  );
  const insertBatch = prepareInsertBatch(connection);
  const putAttachments = preparePutAttachments(connection);
  const changeRows = prepareRowChanges(connection);
  const answerRefused = prepareRefusedAdvance(connection);

  return (
    f: Fence,
    c: Commit,
    attachments: readonly AttachmentPut[],
    drafts: readonly number[],
  ): Committed => {
    const at = advance.get(c.seq, encodeText(f.path), f.epoch, c.seq - 1, encodeText(f.ownerId));
    if (!at) return { result: answerRefused(f, c), ended: false };

    insertBatch(at.id, at.head, f.epoch, c.seq, c.class, c.records);
    if (attachments.length > 0) putAttachments(f.path, at.id, attachments);
    if (c.checkpoint) {
      const { foldFormat, data } = c.checkpoint;
      putCheckpoint.run(at.id, at.head, at.incarnation, foldFormat, encodeText(data));
    }
    if (drafts.length > 0) reclaim.run({ instance: at.id, head: at.head, batches: JSON.stringify(drafts) });

    const rows = c.rows ?? [];
    changeRows({ path: f.path, instance: at.id, headRow: at.head_row, batch: at.head }, rows);
    if (c.release !== true && rows.every((change) => change.to === 'running')) {
      return { result: queueResult(at.head, at), ended: false };
    }
    const finished = finish.get(c.release ? 1 : 0, at.id) as Finished;
    // Only the head hosts, so whatever is joined shares its outcome (CMT-05).
    if (finished.head_row !== at.head_row && finished.joined === 1) {
      throw new RowChangeRefused(f.path, rows, 'a host was settled without every row that joined it.');
    }
    return { result: queueResult(at.head, finished), ended: finished.owner === null };
  };
}
