import { expect } from 'vitest';
import type { StoredRecord } from '../support/stream.ts';

/** What of each type may stand once in a stream. */
const ONCE: { readonly [type: string]: readonly string[] } = {
  conversation_opened: ['conv'],
  user_message: ['submissionId', 'conv'],
  submission_settled: ['submissionId'],
  submission_moved: ['submissionId', 'to', 'attempt'],
  seam_closed: ['submissionId', 'seam', 'cycle'],
  assistant_message: ['submissionId', 'conv', 'turn'],
  call_settled: ['submissionId', 'conv', 'turn', 'call'],
};

/** Fails with `context` when a stream states something twice that happens once. */
export function expectNoDuplicates(records: readonly StoredRecord[], context: string): void {
  const keys = records.flatMap((record) => {
    const fields = ONCE[record.type];
    return fields ? [[record.type, ...fields.map((field) => record[field])].join(' ')] : [];
  });
  expect(keys, context).toEqual([...new Set(keys)]);
}
