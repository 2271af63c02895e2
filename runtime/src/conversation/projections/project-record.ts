import {
  type AssistantDelta,
  type AssistantMessage,
  type ConversationRecord,
  type MetadataMerged,
  responseId,
  type SubmissionMoved,
  type SubmissionSettled,
  turnId,
} from '../records/index.ts';
import { compactionMessage, signalMessage, userMessage } from './appended-message.ts';
import type { ChunkBody, PendingSubmission } from './chunk.ts';
import { isCompactionRequest, type ReaderState, responseOf } from './reader-state.ts';
import {
  draftedLength,
  foldResponse,
  parseArguments,
  proseType,
  type ResponseSlice,
  showsNothing,
  toolSettled,
  wholeMessage,
} from './response.ts';

/**
 * What one record shows, and what the reader knows afterwards (the table of records section 6). Only the root
 * conversation is served (STRM-09).
 */
export function projectRecord(
  state: ReaderState,
  record: ConversationRecord,
  batch: number,
  index: number,
): ChunkBody[] {
  if (record.conv !== undefined) return [];
  switch (record.type) {
    case 'user_message':
      return [{ type: 'message-appended', message: userMessage(record) }, ...queued(state, record)];
    case 'signal':
      return [
        { type: 'message-appended', message: signalMessage(record, batch, index) },
        ...queued(state, record),
      ];
    case 'compaction':
      return [{ type: 'message-appended', message: compactionMessage(record, batch, index) }];
    case 'submission_moved':
      return moved(state, record);
    case 'submission_settled':
      return settled(state, record);
    case 'assistant_delta':
      return drafted(responseOf(state, record.submissionId), record);
    case 'assistant_message':
      return state.gap ? whole(state, record) : completed(responseOf(state, record.submissionId), record);
    case 'call_settled': {
      foldResponse(responseOf(state, record.submissionId), record);
      return [toolSettled(record.submissionId, record)];
    }
    case 'metadata_merged':
      return metadata(responseOf(state, record.submissionId), record);
    case 'data_written': {
      foldResponse(responseOf(state, record.submissionId), record);
      const messageId = responseId(record.submissionId);
      return [{ type: 'data-part', messageId, name: record.name, data: record.data }];
    }
    default:
      return [];
  }
}

function queued(
  state: ReaderState,
  { submissionId, acceptedAt }: { submissionId: string; acceptedAt?: string },
): ChunkBody[] {
  if (acceptedAt === undefined) return [];
  state.accepted.set(submissionId, acceptedAt);
  return [submissionState({ submissionId, state: 'queued', acceptedAt })];
}

function moved(state: ReaderState, record: SubmissionMoved): ChunkBody[] {
  const { submissionId, to } = record;
  if (to === 'running') responseOf(state, submissionId);
  const acceptedAt = state.accepted.get(submissionId);
  if (isCompactionRequest(submissionId) || acceptedAt === undefined) return [];
  return [submissionState({ submissionId, state: to, acceptedAt })];
}

function submissionState(pending: PendingSubmission): ChunkBody {
  return { type: 'submission-state', ...pending };
}

function settled(state: ReaderState, record: SubmissionSettled): ChunkBody[] {
  const { submissionId, outcome, error, answeredBySubmissionId, ts } = record;
  state.accepted.delete(submissionId);
  if (state.response?.host === submissionId) delete state.response;
  if (isCompactionRequest(submissionId)) return [];
  return [
    {
      type: 'submission-settled',
      submissionId,
      outcome,
      ...(error && { error }),
      ...(answeredBySubmissionId !== undefined && { answeredBySubmissionId }),
      timestamp: ts,
    },
  ];
}

function drafted(slice: ResponseSlice, record: AssistantDelta): ChunkBody[] {
  const opens = slice.drafting !== record.turn;
  const start = opens ? [started(slice, record.turn)] : [];
  foldResponse(slice, record);
  const { part, at, kind, delta } = record;
  return [
    ...start,
    { type: 'message-delta', messageId: responseId(slice.host), kind: proseType(kind), delta, part, at },
  ];
}

function completed(slice: ResponseSlice, record: AssistantMessage): ChunkBody[] {
  if (showsNothing(slice, record)) return [];
  const start = slice.drafting === record.turn ? [] : [started(slice, record.turn, record.ts)];
  const content = inPlaceOrder(record).flatMap((block) => blockChunks(slice, block, record.ts));
  foldResponse(slice, record);
  return [...start, ...content, ended(slice, record)];
}

/** For a reader that missed drafts of it: every part that the message has by now (STRM-05). */
function whole(state: ReaderState, record: AssistantMessage): ChunkBody[] {
  const slice = responseOf(state, record.submissionId);
  if (showsNothing(slice, record)) return [];
  foldResponse(slice, record);
  state.gap = false;
  return [{ type: 'message-appended', message: wholeMessage(slice) }, ended(slice, record)];
}

/** The metadata merged so far rides on the chunk that first shows the message (RCD-81). */
export function started(slice: ResponseSlice, turn: number, timestamp?: string): ChunkBody {
  return {
    type: 'message-started',
    messageId: responseId(slice.host),
    submissionId: slice.host,
    turnId: turnId(turn, slice),
    ...(!slice.shown && slice.metadata && { metadata: slice.metadata }),
    ...(timestamp !== undefined && { timestamp }),
  };
}

function ended(slice: ResponseSlice, { stop, ts }: AssistantMessage): ChunkBody {
  const outcome = stop === 'error' ? 'failed' : stop === 'aborted' ? 'aborted' : 'completed';
  return { type: 'message-completed', messageId: responseId(slice.host), outcome, timestamp: ts };
}

type PlacedBlock = AssistantMessage['content'][number] & { part: number };

/** A block without a place shows nothing (RCD-15). */
function inPlaceOrder({ content }: AssistantMessage): PlacedBlock[] {
  return content
    .filter((block): block is PlacedBlock => block.part !== undefined)
    .sort((a, b) => a.part - b.part);
}

function blockChunks(slice: ResponseSlice, block: PlacedBlock, timestamp: string): ChunkBody[] {
  const messageId = responseId(slice.host);
  if (block.type === 'call') {
    const { id: toolCallId, tool: toolName, args, valid: inputValid } = block;
    const input = parseArguments(args);
    return [{ type: 'tool-input', messageId, toolCallId, toolName, input, inputValid, timestamp }];
  }
  const at = draftedLength(slice, block.part);
  const delta = block.text.slice(at);
  if (delta === '') return [];
  return [{ type: 'message-delta', messageId, kind: proseType(block.type), delta, part: block.part, at }];
}

function metadata(slice: ResponseSlice, record: MetadataMerged): ChunkBody[] {
  foldResponse(slice, record);
  if (!slice.shown) return [];
  return [{ type: 'message-metadata', messageId: responseId(slice.host), metadata: record.metadata }];
}
