import { createHash } from 'node:crypto';
import type { AttachmentPut, StoredAttachment } from '../../ports/store.ts';
import { AttachmentConflictError, AttachmentIntegrityError } from '../../ports/store-errors.ts';
import type { Connection } from './connection.ts';
import { decodeText, encodeText } from './text.ts';

interface AttachmentColumns {
  readonly conversation_id: string;
  readonly mime_type: string;
  readonly size: number;
  readonly digest: string;
  readonly filename: string | null;
}

/** Checked puts with bytes of their own, so that what is written later is what was checked (ATT-03, ATT-06). */
export function checkAttachments(puts: readonly AttachmentPut[] = []): AttachmentPut[] {
  return puts.map((put) => {
    verifyBytes(put, put.bytes);
    return { ...put, bytes: put.bytes.slice() };
  });
}

/** Writes attachments in the transaction of what first refers to them; equal bytes once per instance (ATT-02, ATT-05). */
export function preparePutAttachments({ db }: Connection) {
  const find = db.prepare<[number, string], AttachmentColumns>(
    'SELECT * FROM flue_attachment WHERE instance = ? AND attachment_id = ?',
  );
  const insert = db.prepare(
    `INSERT INTO flue_attachment (instance, attachment_id, conversation_id, mime_type, size, digest, filename)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertBytes = db.prepare(
    'INSERT INTO flue_blob (instance, digest, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );

  return (path: string, instance: number, puts: readonly AttachmentPut[]): void => {
    for (const put of puts) {
      const id = encodeText(put.id);
      const stored = find.get(instance, id);
      if (stored && isRepeat(stored, put)) continue;
      if (stored) throw new AttachmentConflictError({ path, attachmentId: put.id });
      const mimeType = encodeText(put.mimeType);
      const filename = put.filename === undefined ? null : encodeText(put.filename);
      insertBytes.run(instance, put.digest, put.bytes);
      insert.run(instance, id, encodeText(put.conversationId), mimeType, put.size, put.digest, filename);
    }
  };
}

/** The file name is presentation and not part of identity (ATT-01). */
function isRepeat(stored: AttachmentColumns, put: AttachmentPut): boolean {
  return (
    stored.digest === put.digest &&
    decodeText(stored.mime_type) === put.mimeType &&
    decodeText(stored.conversation_id) === put.conversationId
  );
}

/** QRY-06. */
export function prepareGetAttachment({ db }: Connection) {
  const find = db.prepare<[string, string], AttachmentColumns & { readonly bytes: Buffer | null }>(
    `SELECT a.*, b.bytes FROM flue_instance i
     JOIN flue_attachment a ON a.instance = i.id
     LEFT JOIN flue_blob b ON b.instance = i.id AND b.digest = a.digest
     WHERE i.path = ? AND a.attachment_id = ?`,
  );

  return (path: string, attachmentId: string): StoredAttachment | null => {
    const row = find.get(encodeText(path), encodeText(attachmentId));
    if (!row) return null;
    const ref = {
      id: attachmentId,
      mimeType: decodeText(row.mime_type),
      size: row.size,
      digest: row.digest,
      ...(row.filename === null ? {} : { filename: decodeText(row.filename) }),
    };
    const bytes = new Uint8Array(row.bytes ?? []);
    verifyBytes(ref, bytes);
    return { ref, conversationId: decodeText(row.conversation_id), bytes };
  };
}

function verifyBytes(ref: { id: string; size: number; digest: string }, bytes: Uint8Array): void {
  if (bytes.byteLength !== ref.size)
    throw new AttachmentIntegrityError({ attachmentId: ref.id, reason: 'size' });
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (digest !== ref.digest) throw new AttachmentIntegrityError({ attachmentId: ref.id, reason: 'digest' });
}
