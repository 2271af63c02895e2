import type { RecordBody } from '../../ports/store.ts';
import { ConversationRecordInvariantError } from '../errors.ts';
import { recordId } from './ids.ts';
import { judgeShape } from './shape.ts';
import type { ConversationRecord } from './union.ts';

/** Serializes once: the text that is committed is the text of every repeat (RCD-06, CMT-03). */
export function encodeRecord(record: ConversationRecord): RecordBody {
  return JSON.stringify(record);
}

/**
 * Reads one stored record; `batch` and `index` say where it stands. `undefined`: a record of a newer kind that an older
 * reader may pass over (RCD-07). Throws `ConversationRecordInvariantError` reason `shape`; its `foreign` tells a form
 * that this version does not know from one that is broken.
 */
export function decodeRecord(body: RecordBody, batch: number, index: number): ConversationRecord | undefined {
  const value = parse(body);
  const verdict = judgeShape(value);
  if (verdict === 'known') return value as ConversationRecord;
  if (verdict === 'skip') return undefined;
  throw new ConversationRecordInvariantError({
    recordId: recordId(batch, index),
    recordType: verdict.recordType,
    reason: 'shape',
    explanation: verdict.problem,
    foreign: verdict.foreign,
  });
}

function parse(body: RecordBody): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
