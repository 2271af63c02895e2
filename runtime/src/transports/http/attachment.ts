import { readAttachment } from '../../app/reader-attachment.ts';
import { requestedRange } from './byte-range.ts';
import { BASE_HEADERS, matchesTag } from './headers.ts';
import type { AgentRequest } from './request.ts';

/** The types that a browser may show in place; anything else, SVG included, could run in the origin (BLOB-03). */
const SHOWN_IN_PLACE = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

/** `GET` and `HEAD /:id/attachments/:attachmentId`: bytes that the store has verified against their digest. */
export async function attachment({ raw, path, member, runtime }: AgentRequest): Promise<Response> {
  const stored = await readAttachment(runtime.store, path, member);
  const { mimeType, size, digest, filename } = stored.ref;
  const etag = `"${digest}"`;
  const caching = { ...BASE_HEADERS, ETag: etag, 'Cache-Control': 'private, max-age=31536000, immutable' };
  if (matchesTag(raw, etag)) return new Response(null, { status: 304, headers: caching });

  const range = requestedRange(raw, size, etag);
  if (range === 'unsatisfiable') {
    return new Response(null, {
      status: 416,
      headers: { ...BASE_HEADERS, 'Content-Range': `bytes */${size}` },
    });
  }
  const { first, last } = range ?? { first: 0, last: size - 1 };
  return new Response(sliceStream(stored.bytes.subarray(first, last + 1)), {
    status: range ? 206 : 200,
    headers: {
      ...caching,
      'Accept-Ranges': 'bytes',
      'Content-Type': mimeType,
      'Content-Length': String(last - first + 1),
      'Content-Disposition': disposition(mimeType, filename),
      'Content-Security-Policy': 'sandbox',
      ...(range && { 'Content-Range': `bytes ${first}-${last}/${size}` }),
    },
  });
}

/** What the reader has room for and no more (BLOB-04). */
function sliceStream(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const SLICE = 64 * 1024;
  let at = 0;
  return new ReadableStream(
    {
      pull(controller) {
        if (at < bytes.byteLength) controller.enqueue(bytes.subarray(at, at + SLICE));
        else controller.close();
        at += SLICE;
      },
    },
    { highWaterMark: 0 },
  );
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
