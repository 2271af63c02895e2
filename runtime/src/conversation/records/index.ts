export type { AssistantDelta, AssistantMessage } from './assistant.ts';
export type { CallSettled, StepRecorded } from './calls.ts';
export { decodeRecord, encodeRecord } from './codec.ts';
export type { Compaction, CompactionRequested, ResourcesRecorded } from './context.ts';
export type { ChildOpened, ConversationOpened, RootOpened } from './conversation-opened.ts';
export {
  attachmentId,
  conversationId,
  messageId,
  placedMessageId,
  recordId,
  responseId,
  turnId,
} from './ids.ts';
export type { Signal, UserMessage } from './messages.ts';
export type { DataWritten, MetadataMerged, SeamClosed, StateWritten } from './response.ts';
export type { SubmissionMoved, SubmissionSettled } from './submissions.ts';
export {
  type AcceptedRecord,
  type ConversationRecord,
  type NewRecord,
  type RecordOf,
  type RecordType,
  stamp,
} from './union.ts';
