import type { JsonObject, JsonValue } from '../../ports/model-shapes.ts';
import type { Offset, Outcome, SettlementError } from '../../ports/store.ts';

/**
 * What readers see of a conversation (http-and-client 3.2 and 3.5): messages built of parts, and the chunks that carry
 * every change of them. Types only, safe in a browser.
 */

export type ConversationPart = TextOrReasoningPart | DataPart | FilePart | ToolPart;

export interface TextOrReasoningPart {
  type: 'text' | 'reasoning';
  text: string;
  state: 'streaming' | 'done';
}

/** One per name and response: the first write places it, later ones replace `data` (HIST-07). */
export interface DataPart {
  type: `data-${string}`;
  /** the latest write */
  data: JsonValue;
  writes: number;
}

/** The server never sets a URL; clients make one from `id` (HIST-09). */
export interface FilePart {
  type: 'file';
  mediaType: string;
  id?: string;
  /** bytes */
  size?: number;
  filename?: string;
}

interface ToolCall {
  type: 'dynamic-tool';
  toolName: string;
  toolCallId: string;
  /** parsed arguments, or their text when they are no JSON (RCD-83) */
  input: JsonValue;
  /** whether they passed the tool's schema of that turn's render (HIST-10) */
  inputValid: boolean;
}

export type ToolPart =
  | (ToolCall & { state: 'input-available' })
  | (ToolCall & { state: 'output-available'; output: JsonValue; durationMs?: number })
  | (ToolCall & { state: 'output-error'; errorText: string; durationMs?: number });

/** `role` is the lane to render in; `purpose` and `display` classify without reading text (HIST-04). */
export interface ConversationMessage {
  id: string;
  role: 'user' | 'assistant' | 'system';
  purpose: 'user' | 'assistant' | 'dispatch' | 'advisory';
  display: 'visible' | 'diagnostic' | 'hidden';
  submissionId?: string;
  turnId?: string;
  /** ISO 8601 */
  timestamp?: string;
  signal?: { type: string; tagName?: string; attributes?: Record<string, string> };
  settlement?: { outcome: 'failed' | 'aborted' };
  parts: ConversationPart[];
  metadata?: JsonObject;
}

export interface Settlement {
  submissionId: string;
  outcome: Outcome;
  error?: SettlementError;
  answeredBySubmissionId?: string;
}

export interface PendingSubmission {
  submissionId: string;
  state: 'queued' | 'running' | 'joined';
  /** ISO 8601 */
  acceptedAt: string;
}

/** The whole conversation at `offset`; every later chunk applies to it (HIST-01). */
export interface ConversationSnapshot {
  v: 1;
  conversationId: string;
  offset: Offset;
  incarnation: string;
  uid?: string;
  messages: ConversationMessage[];
  settlements: Settlement[];
  /** admitted and unsettled, in accepted order (HIST-11) */
  pending: PendingSubmission[];
  window?: HistoryWindow;
}

/** What of the transcript is in a snapshot, when it is not all (HIST-12). */
export interface HistoryWindow {
  hasMore: boolean;
  /** names the page before this one */
  previousCursor?: string;
}

/** Globally unique and ordered; a client drops a chunk at or below the last one it applied (CHNK-01). */
export interface Position {
  batch: number;
  index: number;
}

/** What one change says, before its stream and its place are stamped on it. */
export type ChunkBody =
  | { type: 'conversation-reset'; snapshot: ConversationSnapshot }
  | ({ type: 'submission-state' } & PendingSubmission)
  | { type: 'message-appended'; message: ConversationMessage }
  | {
      type: 'message-started';
      messageId: string;
      submissionId?: string;
      turnId?: string;
      metadata?: JsonObject;
      timestamp?: string;
    }
  | {
      type: 'message-delta';
      messageId: string;
      kind: 'text' | 'reasoning';
      delta: string;
      /** index in the message's parts */
      part: number;
      /** UTF-16 length already there (CHNK-02) */
      at: number;
    }
  | { type: 'message-metadata'; messageId: string; metadata: JsonObject }
  | { type: 'data-part'; messageId: string; name: string; data: JsonValue }
  | ({ type: 'tool-input'; input: JsonValue; inputValid: boolean; timestamp?: string } & ToolAddress)
  | ({ type: 'tool-output'; output: JsonValue; durationMs?: number; timestamp?: string } & ToolAddress)
  | ({ type: 'tool-output-error'; errorText: string; durationMs?: number; timestamp?: string } & ToolAddress)
  | { type: 'message-completed'; messageId: string; outcome: Outcome; timestamp?: string }
  | ({ type: 'submission-settled'; timestamp?: string } & Settlement);

interface ToolAddress {
  messageId: string;
  toolCallId: string;
  toolName: string;
}

/** A recorded change of the conversation. */
export type Chunk = ChunkBody & { conversationId: string; position: Position };

/**
 * A line of log of the agent's own code, as a live reader gets it between two positions. It has none itself, and nobody
 * gets it twice (RCD-14).
 */
export interface LogChunk {
  type: 'log';
  conversationId: string;
  /** of the call that logs */
  toolCallId?: string;
  /** that declared the callback that logs */
  hook?: string;
  level: 'info' | 'warn' | 'error';
  message: string;
  attributes?: JsonObject;
}

/** What somebody who follows a conversation gets: its recorded changes, and lines of log between them. */
export type LiveChunk = Chunk | LogChunk;

/** First item of every page and event stream; never applied (CHNK table). */
export interface StreamCheckpoint {
  type: 'stream-checkpoint';
  incarnation: string;
}
