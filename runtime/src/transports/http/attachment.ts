import { AttachmentNotFoundError } from '../../app/errors.ts';
import { requireStream } from '../../app/reader-stream.ts';
import { BASE_HEADERS } from './headers.ts';
import type { AgentRequest } from './request.ts';

/** The conversation whose attachments are served; those of child conversations are not (BLOB-01, STRM-09). */
const ROOT = 'root';

/** The types that a browser may show in place; anything else, SVG included, could run in the origin (BLOB-03). */
const SHOWN_IN_PLACE = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

/** `GET /:id/attachments/:attachmentId`: the bytes, which the store has verified against their digest. */
export async function attachment({ path, member, runtime }: AgentRequest): Promise<Response> {
  await requireStream(runtime.store, path);
  const stored = await runtime.store.attachment(path, member);
  if (!stored || stored.conversationId !== ROOT) throw new AttachmentNotFoundError();
  const { mimeType, size, filename } = stored.ref;
  return new Response(stored.bytes as Uint8Array<ArrayBuffer>, {
    headers: {
      ...BASE_HEADERS,
      'Content-Type': mimeType,
      'Content-Length': String(size),
      'Content-Disposition': disposition(mimeType, filename),
      'Cache-Control': 'private, max-age=31536000, immutable',
      'Content-Security-Policy': 'sandbox',
    },
  });
}

/** RFC 6266: a plain form for old readers, and the exact name in UTF-8 percent-encoding. */
function disposition(mimeType: string, filename: string | undefined): string {
  const kind = SHOWN_IN_PLACE.has(mimeType.toLowerCase()) ? 'inline' : 'attachment';
  if (filename === undefined) return kind;
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(wellFormed(filename)).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** Half a surrogate pair cannot be percent-encoded. */
function wellFormed(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text));
}
