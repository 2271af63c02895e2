import type { ReadOptions, StoredBatch, StoredCheckpoint } from '../../ports/store.ts';
import type { Conversation } from './state.ts';

/** The data of a checkpoint of the state as folded so far, to be committed with the last batch folded (CKP-04). */
export declare function toCheckpoint(state: Conversation): { foldFormat: number; data: string };
/** `undefined`: the checkpoint is none (CKP-01). Continue reading after `headOffset(state)`. */
export declare function fromCheckpoint(
  checkpoint: StoredCheckpoint,
  incarnation: string,
): Conversation | undefined;
/** What to read so that `fillBodies` can complete a loaded state; empty when nothing is missing. */
export declare function missingBodies(state: Conversation): ReadOptions[];
export declare function fillBodies(state: Conversation, batches: readonly StoredBatch[]): void;
