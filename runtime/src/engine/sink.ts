import type { Conversation } from '../conversation/fold/state.ts';
import type { NewRecord } from '../conversation/records/index.ts';
import type { AttachmentPut, BatchClass, RowChange } from '../ports/store.ts';

/** Where the engine puts what happened, and the state that follows from it. */
export interface Sink {
  readonly state: Conversation;
  /**
   * Builds a batch and commits it; resolves when it is durable. `build` runs alone and synchronously, and sees in
   * `state` what it has added so far. Nothing is written when it adds nothing or throws.
   */
  write(build: (batch: BatchBuilder) => void, o?: { readonly class?: BatchClass }): Promise<void>;
}

export interface BatchBuilder {
  /** Adds whole units, with the row changes that go with their records (RCD-42). */
  add(records: readonly NewRecord[], rows?: readonly RowChange[]): void;
  attach(attachments: readonly AttachmentPut[]): void;
  /** Ends ownership in the same commit. */
  release(): void;
}
