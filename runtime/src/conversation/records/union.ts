import type { GenericSchema } from 'valibot';
import { type AssistantDelta, type AssistantMessage, assistantDelta, assistantMessage } from './assistant.ts';
import { type CallSettled, callSettled, type StepRecorded, stepRecorded } from './calls.ts';
import {
  type Compaction,
  type CompactionRequested,
  compaction,
  compactionRequested,
  type ResourcesRecorded,
  resourcesRecorded,
} from './context.ts';
import { type ConversationOpened, conversationOpened } from './conversation-opened.ts';
import { RECORD_VERSION } from './envelope.ts';
import { type Signal, signal, type UserMessage, userMessage } from './messages.ts';
import {
  type DataWritten,
  dataWritten,
  type MetadataMerged,
  metadataMerged,
  type SeamClosed,
  type StateWritten,
  seamClosed,
  stateWritten,
} from './response.ts';
import {
  type SubmissionMoved,
  type SubmissionSettled,
  submissionMoved,
  submissionSettled,
} from './submissions.ts';

/** One thing that happened (RCD-01). Narrow it by `type`. */
export type ConversationRecord =
  | ConversationOpened
  | UserMessage
  | Signal
  | SubmissionMoved
  | AssistantDelta
  | AssistantMessage
  | StepRecorded
  | CallSettled
  | StateWritten
  | SeamClosed
  | MetadataMerged
  | DataWritten
  | ResourcesRecorded
  | CompactionRequested
  | Compaction
  | SubmissionSettled;

export type RecordType = ConversationRecord['type'];
export type RecordOf<Type extends RecordType> = Extract<ConversationRecord, { type: Type }>;

/** An admission's own record: what waits in the queue. */
export type AcceptedRecord = UserMessage | Signal | CompactionRequested;

export const RECORD_SCHEMAS: { readonly [Type in RecordType]: GenericSchema<unknown, RecordOf<Type>> } = {
  conversation_opened: conversationOpened,
  user_message: userMessage,
  signal,
  submission_moved: submissionMoved,
  assistant_delta: assistantDelta,
  assistant_message: assistantMessage,
  step_recorded: stepRecorded,
  call_settled: callSettled,
  state_written: stateWritten,
  seam_closed: seamClosed,
  metadata_merged: metadataMerged,
  data_written: dataWritten,
  resources_recorded: resourcesRecorded,
  compaction_requested: compactionRequested,
  compaction,
  submission_settled: submissionSettled,
};

/** A record as its author knows it, before the commit that dates it. */
export type NewRecord = Unstamped<ConversationRecord>;
type Unstamped<R> = R extends ConversationRecord ? Omit<R, 'v' | 'ts'> : never;

/** `ts` is ISO 8601 with milliseconds; deltas carry none (RCD-02). */
export function stamp(record: NewRecord, ts: string): ConversationRecord {
  const { type } = record;
  const head = type === 'assistant_delta' ? { v: RECORD_VERSION, type } : { v: RECORD_VERSION, type, ts };
  return Object.assign(head, record) as ConversationRecord;
}
