import { LIMITS } from '../contract/limits.ts';
import type { JsonValue } from '../ports/model-shapes.ts';
import { RecordTooLargeError } from '../ports/store-errors.ts';

/** Refuses at the author's call what no batch can hold, while it can still be told to whoever wrote it (RCD-13). */
export function assertRecordable(record: Readonly<Record<string, JsonValue>>): void {
  const text = JSON.stringify(record);
  // A UTF-16 unit takes three bytes at most.
  if (text.length * 3 <= LIMITS.batchBytes) return;
  const bytes = Buffer.byteLength(text);
  if (bytes > LIMITS.batchBytes) {
    throw new RecordTooLargeError({ records: [text], bytes, limit: LIMITS.batchBytes });
  }
}
