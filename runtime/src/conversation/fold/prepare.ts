import type { BatchClass, Offset } from '../../ports/store.ts';
import type { ConversationRecord } from '../records/index.ts';
import type { FoldBatch } from './fold.ts';
import type { Conversation } from './state.ts';

/**
 * The owner's next batch, folded before it is committed (RCD-68): the state already shows it, at the offset that it
 * will have if no admission comes in between.
 */
export interface Prepared {
  readonly records: readonly ConversationRecord[];
  /** drafts that this commit may reclaim */
  readonly reclaim: readonly Offset[];
  /** Appends more whole units to the same batch. Throws as `prepare` does, and then all of the batch is undone. */
  extend(records: readonly ConversationRecord[]): void;
  /** After the store took it. `admitted` are the batches that came in between, in order. */
  committed(offset: Offset, admitted?: readonly FoldBatch[]): void;
  /** The store did not take it: the state is what it was. */
  discard(): void;
}

export declare function prepare(
  state: Conversation,
  batch: {
    readonly class: BatchClass;
    readonly epoch: number;
    readonly records: readonly ConversationRecord[];
  },
): Prepared;
