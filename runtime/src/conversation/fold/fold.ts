import { parseOffset } from '../../ports/offset.ts';
import type { BatchClass, Offset, RecordBody, StoredBatch } from '../../ports/store.ts';
import { ConversationRecordInvariantError } from '../errors.ts';
import { type ConversationRecord, decodeRecord, recordId } from '../records/index.ts';
import { judgeShape } from '../records/shape.ts';
import { INVARIANTS } from './invariants.ts';
import { Journal } from './journal.ts';
import { SLICES } from './slices.ts';
import { type Conversation, type Held, ROOT } from './state.ts';
import type { BatchInFold, Step } from './step.ts';

export interface FoldBatch {
  readonly offset: Offset;
  readonly class: BatchClass;
  readonly epoch: number;
  /** `undefined` stands where a record of a newer kind was passed over (RCD-07), so that places stay what they are */
  readonly records: readonly (ConversationRecord | undefined)[];
  /** length of the serialized records, for the interval of checkpoints (CKP-03); 0 by default */
  readonly bytes?: number;
}

/**
 * Advances the state by one batch, whole or not at all. Throws `ConversationRecordInvariantError` for a batch that
 * contradicts the state (RCD-50 to RCD-68); the state is then what it was.
 */
export function fold(state: Conversation, batch: FoldBatch): void {
  const number = numberOf(batch.offset);
  if (isIncluded(state, number)) return;
  requireShapes(batch.records, number);
  foldJudged(state, number, batch);
}

/** The same for a batch as the store returns it. */
export function foldStored(state: Conversation, stored: StoredBatch): void {
  const number = numberOf(stored.offset);
  if (isIncluded(state, number)) return;
  foldJudged(state, number, decodeBatch(stored));
}

/** The records of a stored batch, each in its place. Throws as `decodeRecord` does. */
export function decodeBatch(stored: StoredBatch): FoldBatch {
  const number = numberOf(stored.offset);
  return {
    offset: stored.offset,
    class: stored.class,
    epoch: stored.epoch,
    records: stored.records.map((body, index) => decodeRecord(body, number, index)),
    bytes: bytesOf(stored.records),
  };
}

export function bytesOf(bodies: readonly RecordBody[]): number {
  return bodies.reduce((bytes, body) => bytes + body.length, 0);
}

function foldJudged(state: Conversation, number: number, batch: Omit<FoldBatch, 'offset'>): void {
  if (state.tail.prepared) throw new Error('A prepared batch is neither committed nor discarded.');
  if (number <= state.tail.head)
    throw new Error(`Batch ${number} was folded before: the head is ${state.tail.head}.`);
  const journal = new Journal();
  try {
    advance(state, { number, ...batch }, journal);
  } catch (error) {
    journal.undo();
    throw error;
  }
  const { tail } = state;
  tail.head = number;
  tail.batches += 1;
  tail.bytes += batch.bytes ?? 0;
}

/**
 * Takes the records one after the other: each is judged against what those before it left, then advances the slices.
 * Whoever calls it undoes the journal when it throws. Returns the records' places.
 */
export function advance(state: Conversation, batch: BatchInFold, journal: Journal, from = 0): Held[] {
  const places: Held[] = [];
  for (let index = from; index < batch.records.length; index += 1) {
    const record = batch.records[index];
    if (!record) continue;
    const held: Held = { batch: batch.number, index, record };
    const conv = record.conv ?? ROOT;
    const step: Step = { state, journal, record, held, conv, batch, index, committed: undefined, closed: [] };
    for (const check of INVARIANTS) check(step);
    for (const advanceSlice of SLICES) advanceSlice(step);
    places.push(held);
  }
  return places;
}

/** RCD-50, for records that were not decoded; `from` is the place of the first. */
export function requireShapes(
  records: readonly (ConversationRecord | undefined)[],
  batch: number,
  from = 0,
): void {
  for (const [at, record] of records.entries()) {
    const verdict = record ? judgeShape(record) : 'known';
    if (!record || verdict === 'known') continue;
    throw new ConversationRecordInvariantError({
      recordId: recordId(batch, from + at),
      recordType: record.type,
      reason: 'shape',
      explanation: verdict === 'skip' ? 'an owner writes no record that it does not know' : verdict.problem,
    });
  }
}

export function numberOf(offset: Offset): number {
  const number = parseOffset(offset);
  if (!number) throw new Error(`"${offset}" is not the offset of a batch.`);
  return number;
}

/** A loaded checkpoint may hold a batch before which admissions are still to be folded (see `fromCheckpoint`). */
function isIncluded(state: Conversation, number: number): boolean {
  const { tail } = state;
  if (tail.included !== number) return false;
  tail.included = undefined;
  tail.head = number;
  return true;
}
