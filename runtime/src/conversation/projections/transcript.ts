import type { Offset } from '../../ports/store.ts';
import { mergeMetadata } from '../metadata.ts';
import type {
  ChunkBody,
  ConversationMessage,
  ConversationPart,
  ConversationSnapshot,
  DataPart,
  PendingSubmission,
  Settlement,
  TextOrReasoningPart,
  ToolPart,
} from './chunk.ts';

/**
 * A conversation as its chunks tell it. A snapshot is a transcript folded from the first chunk, so applying later chunks
 * to any snapshot ends at the same state as a fresh one (HIST-01). Applying costs what the chunk touches (UPD-06).
 */
export interface Transcript {
  conversationId: string;
  incarnation: string;
  uid?: string;
  /** in order of first appearance (RCD-82) */
  messages: Map<string, ConversationMessage>;
  settlements: Settlement[];
  /** in accepted order */
  pending: Map<string, PendingSubmission>;
}

export function emptyTranscript(stream: { conversationId: string; incarnation: string }): Transcript {
  return { ...stream, messages: new Map(), settlements: [], pending: new Map() };
}

/** Detached: what is applied later does not reach into it. */
export function snapshotAt(transcript: Transcript, offset: Offset): ConversationSnapshot {
  const { conversationId, incarnation, uid, messages, settlements, pending } = transcript;
  return structuredClone({
    v: 1,
    conversationId,
    offset,
    incarnation,
    ...(uid !== undefined && { uid }),
    messages: [...messages.values()],
    settlements,
    pending: [...pending.values()],
  });
}

export function fromSnapshot(snapshot: ConversationSnapshot): Transcript {
  const { conversationId, incarnation, uid, messages, settlements, pending } = structuredClone(snapshot);
  return {
    conversationId,
    incarnation,
    ...(uid !== undefined && { uid }),
    messages: new Map(messages.map((message) => [message.id, message])),
    settlements,
    pending: new Map(pending.map((one) => [one.submissionId, one])),
  };
}

export function applyChunk(transcript: Transcript, chunk: ChunkBody): void {
  switch (chunk.type) {
    case 'conversation-reset': {
      Object.assign(transcript, fromSnapshot(chunk.snapshot));
      return;
    }
    case 'submission-state': {
      const { submissionId, state, acceptedAt } = chunk;
      transcript.pending.set(submissionId, { submissionId, state, acceptedAt });
      return;
    }
    case 'submission-settled': {
      const { submissionId, outcome, error, answeredBySubmissionId } = chunk;
      transcript.pending.delete(submissionId);
      transcript.settlements.push({
        submissionId,
        outcome,
        ...(error && { error }),
        ...(answeredBySubmissionId !== undefined && { answeredBySubmissionId }),
      });
      return;
    }
    case 'message-appended': {
      transcript.messages.set(chunk.message.id, structuredClone(chunk.message));
      return;
    }
    case 'message-started': {
      if (!transcript.messages.has(chunk.messageId))
        transcript.messages.set(chunk.messageId, openMessage(chunk));
      return;
    }
    default: {
      const message = transcript.messages.get(chunk.messageId);
      if (message) applyToMessage(message, chunk);
    }
  }
}

function openMessage(started: Extract<ChunkBody, { type: 'message-started' }>): ConversationMessage {
  const { messageId, submissionId, turnId, timestamp, metadata } = started;
  return {
    id: messageId,
    role: 'assistant',
    purpose: 'assistant',
    display: 'visible',
    ...(submissionId !== undefined && { submissionId }),
    ...(turnId !== undefined && { turnId }),
    ...(timestamp !== undefined && { timestamp }),
    parts: [],
    ...(metadata && { metadata }),
  };
}

type MessageChange = Extract<
  ChunkBody,
  {
    type:
      | 'message-delta'
      | 'message-metadata'
      | 'data-part'
      | 'tool-input'
      | 'tool-output'
      | 'tool-output-error'
      | 'message-completed';
  }
>;

function applyToMessage(message: ConversationMessage, chunk: MessageChange): void {
  switch (chunk.type) {
    case 'message-delta':
      appendDelta(message.parts, chunk);
      return;
    case 'message-metadata':
      message.metadata = mergeMetadata(message.metadata, chunk.metadata);
      return;
    case 'data-part':
      writeData(message.parts, chunk);
      return;
    case 'tool-input': {
      const { toolName, toolCallId, input, inputValid } = chunk;
      closeText(message.parts);
      message.parts.push({
        type: 'dynamic-tool',
        toolName,
        toolCallId,
        state: 'input-available',
        input,
        inputValid,
      });
      return;
    }
    case 'tool-output':
    case 'tool-output-error':
      settleTool(message.parts, chunk);
      return;
    case 'message-completed':
      closeText(message.parts);
      // A drafted message was opened without a time, since drafts carry none; a replay of it was opened with this one.
      if (message.timestamp === undefined && chunk.timestamp !== undefined)
        message.timestamp = chunk.timestamp;
  }
}

/** `at` below the length that is there skips the overlap (CHNK-02). */
function appendDelta(parts: ConversationPart[], chunk: Extract<ChunkBody, { type: 'message-delta' }>): void {
  const existing = parts[chunk.part];
  if (existing && isProse(existing)) {
    existing.text += chunk.delta.slice(existing.text.length - chunk.at);
    return;
  }
  closeText(parts);
  parts.push({ type: chunk.kind, text: chunk.delta, state: 'streaming' });
}

function writeData(parts: ConversationPart[], chunk: Extract<ChunkBody, { type: 'data-part' }>): void {
  const type = `data-${chunk.name}` as const;
  const existing = parts.find((part): part is DataPart => part.type === type);
  if (!existing) {
    parts.push({ type, data: chunk.data, writes: 1 });
    return;
  }
  existing.data = chunk.data;
  existing.writes += 1;
}

/** A provider may reuse a call id in a later step, so the newest call of that id is meant (CHNK-10). */
function settleTool(parts: ConversationPart[], chunk: ToolSettled): void {
  const index = parts.findLastIndex((part) => isTool(part) && part.toolCallId === chunk.toolCallId);
  const part = parts[index];
  if (part && isTool(part)) parts[index] = settledTool(part, chunk);
}

export type ToolSettled = Extract<ChunkBody, { type: 'tool-output' | 'tool-output-error' }>;

export function settledTool(call: ToolPart, chunk: ToolSettled): ToolPart {
  const { type, toolName, toolCallId, input, inputValid } = call;
  const same = { type, toolName, toolCallId, input, inputValid };
  const duration = chunk.durationMs === undefined ? {} : { durationMs: chunk.durationMs };
  return chunk.type === 'tool-output'
    ? { ...same, state: 'output-available', output: chunk.output, ...duration }
    : { ...same, state: 'output-error', errorText: chunk.errorText, ...duration };
}

/** Only the last prose can be open: a change of kind, a call and the end of the message each close it (CHNK-05). */
function closeText(parts: ConversationPart[]): void {
  const last = parts.findLast(isProse);
  if (last) last.state = 'done';
}

export function isProse(part: ConversationPart): part is TextOrReasoningPart {
  return part.type === 'text' || part.type === 'reasoning';
}

export function isTool(part: ConversationPart): part is ToolPart {
  return part.type === 'dynamic-tool';
}
