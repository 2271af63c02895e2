import { RESERVED_SIGNAL_TYPES } from '../../contract/names.ts';
import type { BatchClass } from '../../ports/store.ts';
import { ConversationRecordInvariantError, type InvariantReason } from '../errors.ts';
import type { ConversationRecord, RecordOf, RecordType, Signal } from '../records/index.ts';
import { recordId } from '../records/index.ts';
import type { Journal } from './journal.ts';
import { type Conversation, type Held, ROOT, type ToolBatch } from './state.ts';

/** One record on its way into the state, as invariants and slices see it. */
export interface Step<R extends ConversationRecord = ConversationRecord> {
  readonly state: Conversation;
  readonly journal: Journal;
  readonly record: R;
  readonly held: Held<R>;
  /** the conversation that it belongs to */
  readonly conv: number;
  readonly batch: BatchInFold;
  /** its place in the batch */
  readonly index: number;
  /** the tool batch that this record completed; set by its slice for those after it */
  committed: ToolBatch | undefined;
  /** the conversations that this record closed; set by their slice for those after it */
  closed: readonly number[];
}

export interface BatchInFold {
  readonly number: number;
  readonly class: BatchClass;
  readonly epoch: number;
  readonly records: readonly (ConversationRecord | undefined)[];
}

/** Whether the step is of that type; narrows it for what follows. */
export function isStep<Type extends RecordType>(step: Step, type: Type): step is Step<RecordOf<Type>> {
  return step.record.type === type;
}

export function violation(step: Step, reason: InvariantReason, explanation: string): never {
  const { record, batch, index } = step;
  throw new ConversationRecordInvariantError({
    recordId: recordId(batch.number, index),
    recordType: record.type,
    reason,
    explanation,
  });
}

type Test = (record: ConversationRecord) => boolean;

/** The nearest later record of the batch that passes. */
export function later(step: Step, test: Test): ConversationRecord | undefined {
  const { records } = step.batch;
  for (let at = step.index + 1; at < records.length; at += 1) {
    const record = records[at];
    if (record && test(record)) return record;
  }
  return undefined;
}

/** The nearest earlier record of the batch that passes, looking no further back than one that ends the search. */
export function earlier(step: Step, test: Test, until?: Test): ConversationRecord | undefined {
  const { records } = step.batch;
  for (let at = step.index - 1; at >= 0; at -= 1) {
    const record = records[at];
    if (!record) continue;
    if (test(record)) return record;
    if (until?.(record)) return undefined;
  }
  return undefined;
}

/** The record right beside it. */
export function neighbour(step: Step, distance: -1 | 1): ConversationRecord | undefined {
  return step.batch.records[step.index + distance];
}

const RESERVED: ReadonlySet<string> = new Set(RESERVED_SIGNAL_TYPES);
const NARRATION: ReadonlySet<string> = new Set(['resources', 'instructions', 'environment']);
const ADVISORIES: ReadonlySet<string> = new Set(['submission_aborted', 'submission_interrupted']);

export function isReserved(signalType: string): boolean {
  return RESERVED.has(signalType);
}

/** What a signal that nobody delivered is there for (RCD-22). */
export type SignalRole = 'append' | 'narration' | 'advisory' | 'plumbing' | 'none';

export function signalRole(signal: Signal): SignalRole {
  const { signalType } = signal;
  if (!RESERVED.has(signalType)) return 'append';
  if (NARRATION.has(signalType)) return 'narration';
  if (ADVISORIES.has(signalType)) return 'advisory';
  return signalType.startsWith('stream_') ? 'plumbing' : 'none';
}

/** Whether the record is a signal in that role; accepted deliveries have none. */
export function isSignalAs(record: ConversationRecord, role: SignalRole): record is Signal {
  return record.type === 'signal' && record.acceptedAt === undefined && signalRole(record) === role;
}

/** An advisory is part of the model's context only when it is about the host (section 6). */
export function isPlacedSignal(state: Conversation, record: ConversationRecord): record is Signal {
  if (record.type !== 'signal' || record.acceptedAt !== undefined) return false;
  return signalRole(record) !== 'advisory' || record.submissionId === state.response?.host;
}

/** RCD-20, RCD-61: no message is being drafted in it and no call of it is unsettled. */
export function isQuiet(state: Conversation, conv: number): boolean {
  return !state.toolBatches.has(conv) && !(conv === ROOT && state.open);
}
