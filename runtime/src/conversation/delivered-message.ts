import type { AttachmentRef } from '../ports/store.ts';

/** An image handed to an agent: plain base64, at most 14 MiB of characters (MSG-04). */
export interface DeliveredAttachment {
  type: 'image';
  data: string;
  mimeType: string;
  filename?: string;
}

/** The one input shape of every transport (MSG-01). */
export type DeliveredMessage =
  | { kind: 'user'; body: string; attachments?: DeliveredAttachment[] }
  | {
      kind: 'signal';
      type: string;
      body: string;
      attributes?: Record<string, string>;
      tagName?: string;
    };

/** In programmatic calls a bare string is short for a user message (MSG-02). */
export type DeliveredMessageInput = string | DeliveredMessage;

/** A delivered message as it is stored: attachments by reference only (ATT-05). */
export type StoredMessage =
  | { kind: 'user'; body: string; attachments?: AttachmentRef[] }
  | Extract<DeliveredMessage, { kind: 'signal' }>;
