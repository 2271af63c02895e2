import type { BatchClass, Offset, StoredBatch } from '../../ports/store.ts';
import type { ConversationRecord } from '../records/index.ts';
import type { Conversation } from './state.ts';

export interface FoldBatch {
  readonly offset: Offset;
  readonly class: BatchClass;
  readonly epoch: number;
  /** `undefined` stands where a record of a newer kind was passed over (RCD-07), so that places stay what they are */
  readonly records: readonly (ConversationRecord | undefined)[];
  /** serialized size, for the checkpoint interval (CKP-03) */
  readonly bytes?: number;
}

/**
 * Advances the state by one batch, whole or not at all. Throws `ConversationRecordInvariantError` for a batch that
 * contradicts the state (RCD-50 to RCD-68); the state is then what it was.
 */
export declare function fold(state: Conversation, batch: FoldBatch): void;
export declare function foldStored(state: Conversation, batch: StoredBatch): void;
