import { parseOffset } from '../../ports/offset.ts';
import type { StoredBatch } from '../../ports/store.ts';
import { type ConversationRecord, decodeRecord } from '../records/index.ts';

/** One stored batch, read. */
export interface DecodedBatch {
  /** the offset's batch number */
  readonly batch: number;
  /** `undefined` where a record may be passed over (RCD-07) */
  readonly records: readonly (ConversationRecord | undefined)[];
}

/** Throws `ConversationRecordInvariantError` for a record that cannot be read. */
export function decodeBatch({ offset, records }: Pick<StoredBatch, 'offset' | 'records'>): DecodedBatch {
  const batch = parseOffset(offset) ?? 0;
  return { batch, records: records.map((body, index) => decodeRecord(body, batch, index)) };
}
