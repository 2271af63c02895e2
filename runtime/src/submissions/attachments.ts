import { deliveryRecord, windowOf } from '../conversation/fold/queries.ts';
import type { Conversation } from '../conversation/fold/state.ts';
import { type AttachmentData, imagesOf } from '../engine/model-context.ts';
import type { AttachmentRef } from '../ports/store.ts';
import type { AttemptStore } from './patient-store.ts';

/** The attachments that renders and requests of one attempt show, read once each. */
export interface Attachments {
  /** Reads what the conversation shows now, or may show at the next boundary, and is not read yet. */
  load(state: Conversation): Promise<void>;
  readonly data: AttachmentData;
}

export function openAttachments(store: AttemptStore, path: string): Attachments {
  const loaded = new Map<string, string>();
  return {
    async load(state) {
      // The cursor's message outlives the window that a compaction cuts.
      const read = [...state.queue.pending.map(({ held }) => held.record), deliveryRecord(state)];
      const waiting = read.flatMap((record) =>
        record?.type === 'user_message' ? (record.attachments ?? []) : [],
      );
      for (const ref of [...imagesOf(windowOf(state).entries), ...waiting]) {
        if (!loaded.has(ref.id)) loaded.set(ref.id, await readBase64(store, path, ref));
      }
    },
    data(ref) {
      const data = loaded.get(ref.id);
      if (data === undefined) throw new Error(`[flue] the attachment ${ref.id} is not loaded.`);
      return data;
    },
  };
}

async function readBase64(store: AttemptStore, path: string, ref: AttachmentRef): Promise<string> {
  const attachment = await store.attachment(path, ref.id);
  if (!attachment) throw new Error(`[flue] the attachment ${ref.id} of ${path} is missing from the store.`);
  return Buffer.from(attachment.bytes).toString('base64');
}
