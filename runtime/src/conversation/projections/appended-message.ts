import type { AttachmentRef } from '../../ports/store.ts';
import {
  type Compaction,
  messageId,
  placedMessageId,
  type Signal,
  type UserMessage,
} from '../records/index.ts';
import type { ConversationMessage, ConversationPart } from './chunk.ts';

/** A delivered user message, on every transport the same (HIST-05). */
export function userMessage(record: UserMessage): ConversationMessage {
  const files = record.attachments?.map(filePart) ?? [];
  const text = record.body === '' && files.length > 0 ? [] : [textPart(record.body)];
  return {
    id: messageId(record.submissionId),
    role: 'user',
    purpose: 'user',
    display: 'visible',
    submissionId: record.submissionId,
    timestamp: record.ts,
    parts: [...text, ...files],
  };
}

/** What each reserved signal is to a reader; every other type is a delivery or an append of the application. */
const RESERVED: Record<string, Pick<ConversationMessage, 'purpose' | 'display' | 'settlement'>> = {
  resources: { purpose: 'advisory', display: 'diagnostic' },
  instructions: { purpose: 'advisory', display: 'diagnostic' },
  environment: { purpose: 'advisory', display: 'diagnostic' },
  stream_interrupted: { purpose: 'advisory', display: 'hidden' },
  stream_continued: { purpose: 'advisory', display: 'hidden' },
  submission_interrupted: { purpose: 'advisory', display: 'diagnostic', settlement: { outcome: 'failed' } },
  submission_aborted: { purpose: 'advisory', display: 'diagnostic', settlement: { outcome: 'aborted' } },
};

/** A signal by what it is for (HIST-04, HIST-06). */
export function signalMessage(record: Signal, batch: number, index: number): ConversationMessage {
  const { signalType, tagName, attributes } = record;
  return {
    id: record.acceptedAt === undefined ? placedMessageId(batch, index) : messageId(record.submissionId),
    role: 'system',
    ...(RESERVED[signalType] ?? { purpose: 'dispatch', display: 'diagnostic' }),
    submissionId: record.submissionId,
    timestamp: record.ts,
    signal: {
      type: signalType,
      ...(tagName !== undefined && { tagName }),
      ...(attributes && { attributes }),
    },
    parts: [textPart(record.body)],
  };
}

/** A compaction shows as one advisory and shortens nothing (HIST-13). */
export function compactionMessage(record: Compaction, batch: number, index: number): ConversationMessage {
  const attributes = { reason: record.reason, tokensBefore: String(record.tokensBefore) };
  return {
    id: placedMessageId(batch, index),
    role: 'system',
    purpose: 'advisory',
    display: 'diagnostic',
    submissionId: record.submissionId,
    timestamp: record.ts,
    signal: { type: 'compaction', attributes },
    parts: [textPart(record.summary)],
  };
}

function textPart(text: string): ConversationPart {
  return { type: 'text', text, state: 'done' };
}

function filePart({ id, mimeType, size, filename }: AttachmentRef): ConversationPart {
  return { type: 'file', mediaType: mimeType, id, size, ...(filename !== undefined && { filename }) };
}
