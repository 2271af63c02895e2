import { LIMITS } from '../../contract/limits.ts';
import type { BatchClass, RecordBody } from '../../ports/store.ts';
import { RecordTooLargeError } from '../../ports/store-errors.ts';
import type { Connection } from './connection.ts';
import { encodeRecords } from './text.ts';

/** Refuses a batch above the limit before anything is written (STR-06, STR-07). */
export function checkBatchSize(records: readonly RecordBody[]): void {
  const chars = records.reduce((sum, body) => sum + body.length, 0);
  if (chars * 3 <= LIMITS.batchBytes) return;
  const bytes = records.reduce((sum, body) => sum + Buffer.byteLength(body), 0);
  if (bytes > LIMITS.batchBytes) throw new RecordTooLargeError({ records, bytes, limit: LIMITS.batchBytes });
}

/** `flue_batch.key` of a batch; the parameters are instance and batch number. */
export const BATCH_KEY = '(? << 32) + ?';

export function prepareInsertBatch({ db }: Connection) {
  const insert = db.prepare(
    `INSERT INTO flue_batch (key, epoch, seq, draft, records) VALUES (${BATCH_KEY}, ?, ?, ?, ?)`,
  );
  return (
    instance: number,
    batch: number,
    epoch: number,
    seq: number,
    kind: BatchClass,
    records: readonly RecordBody[],
  ) => {
    insert.run(instance, batch, epoch, seq, kind === 'draft' ? 1 : 0, encodeRecords(records));
  };
}
