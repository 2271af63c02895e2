import type { FlueStore, StoredAttachment } from '../ports/store.ts';
import { AttachmentNotFoundError } from './errors.ts';
import { requireStream } from './reader-stream.ts';

/** The conversation whose attachments are served; those of child conversations are not (BLOB-01, STRM-09). */
const ROOT = 'root';

/** One attachment. Throws `StreamNotFoundError` and `AttachmentNotFoundError`. */
export async function readAttachment(store: FlueStore, path: string, id: string): Promise<StoredAttachment> {
  await requireStream(store, path);
  const stored = await store.attachment(path, id);
  if (!stored || stored.conversationId !== ROOT) throw new AttachmentNotFoundError();
  return stored;
}
