import { type FoldBatch, fold, numberOf } from '../conversation/fold/fold.ts';
import type { Conversation } from '../conversation/fold/state.ts';
import type { ConversationRecord } from '../conversation/records/index.ts';
import type { SubmissionRow } from '../ports/store.ts';

/** The records of one admission, as they were serialized. */
export interface AdmittedRecords {
  /** of the instance, there if this admission creates it */
  readonly birth?: ConversationRecord | undefined;
  readonly accepted: ConversationRecord;
  /** characters of their texts */
  readonly size: number;
}

/**
 * What this process sends to the store as admissions, so that its own attempt folds it without reading back, parsing and
 * judging what was just written. A cache, as bounded as that of residents: whatever is not here is read.
 */
export interface OwnAdmissions {
  /** Before the store is asked, since an idle instance may be claimed in the same transaction. */
  expect(submissionId: string, records: AdmittedRecords): void;
  take(submissionId: string): AdmittedRecords | undefined;
}

export function createOwnAdmissions(capacity = 64): OwnAdmissions {
  const expected = new Map<string, AdmittedRecords>();
  return {
    expect(submissionId, records) {
      expected.set(submissionId, records);
      if (expected.size > capacity) expected.delete(expected.keys().next().value as string);
    },
    take(submissionId) {
      const records = expected.get(submissionId);
      expected.delete(submissionId);
      return records;
    },
  };
}

/** Folds the admission of a claimed row where it is what the state lacks next. */
export function foldOwn(state: Conversation, row: SubmissionRow, own: AdmittedRecords | undefined): void {
  const number = numberOf(row.admittedOffset);
  if (!own || number !== state.tail.head + 1) return;
  const { birth, accepted, size } = own;
  // Only the first batch of a stream holds a birth; a send that met an instance left its own out.
  if (number === 1 && !birth) return;
  const records = number === 1 ? [birth, accepted] : [accepted];
  // The epoch says who may go on with a response, and an admission is a part of none.
  const batch: FoldBatch = { offset: row.admittedOffset, class: 'durable', epoch: 0, records, bytes: size };
  fold(state, batch);
}
