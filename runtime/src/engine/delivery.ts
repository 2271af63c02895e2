import type { DeliveredMessage } from '../conversation/delivered-message.ts';
import type { AcceptedRecord } from '../conversation/records/index.ts';
import type { AttachmentData } from './model-context.ts';

/** A recorded message in the shape in which it was delivered, whatever brought it (DLV-01). */
export function deliveredMessage(
  record: AcceptedRecord,
  attachment: AttachmentData,
): DeliveredMessage | undefined {
  switch (record.type) {
    case 'user_message':
      return {
        kind: 'user',
        body: record.body,
        ...(record.attachments && {
          attachments: record.attachments.map((ref) => ({
            type: 'image' as const,
            data: attachment(ref),
            mimeType: ref.mimeType,
            ...(ref.filename !== undefined && { filename: ref.filename }),
          })),
        }),
      };
    case 'signal': {
      const { signalType, body, attributes, tagName } = record;
      return {
        kind: 'signal',
        type: signalType,
        body,
        ...(attributes && { attributes }),
        ...(tagName !== undefined && { tagName }),
      };
    }
    case 'compaction_requested':
      return undefined;
  }
}
