export type { AssistantDelta, AssistantMessage } from './assistant.ts';
export type { CallSettled, StepRecorded } from './calls.ts';
export { decodeRecord, encodeRecord } from './codec.ts';
export type { Compaction, ResourcesRecorded } from './context.ts';
export type { ConversationOpened, RootOpened } from './conversation-opened.ts';
export {
  conversationId,
  messageId,
  placedMessageId,
  recordId,
  responseId,
  turnId,
} from './ids.ts';
export type { Signal, UserMessage } from './messages.ts';
export type { DataWritten, MetadataMerged, StateWritten } from './response.ts';
export type { SubmissionMoved, SubmissionSettled } from './submissions.ts';
export {
  type AcceptedRecord,
  type ConversationRecord,
  type NewRecord,
  type RecordOf,
  type RecordType,
  stamp,
} from './union.ts';
