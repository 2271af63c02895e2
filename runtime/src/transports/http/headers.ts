import type { Stream } from '../../app/reader-stream.ts';
import type { Offset } from '../../ports/store.ts';

/** On every response that the router renders (HTTP-08). */
export const BASE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'cross-origin',
} as const;

/** Lists for CORS middleware that runs before the mount; the router sets no such header itself (HTTP-09). */
export const streamCors = {
  exposeHeaders: [
    'Stream-Next-Offset',
    'Stream-Up-To-Date',
    'Location',
    'Stream-Incarnation',
    'ETag',
    'Retry-After',
    'flue-error-ref',
  ],
  allowHeaders: [
    'content-type',
    'authorization',
    'if-none-match',
    'idempotency-key',
    'last-event-id',
    'range',
    'traceparent',
    'tracestate',
  ],
};

export function jsonResponse(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...BASE_HEADERS, ...headers },
  });
}

/** Where a reader stands after this response (STRM-06, STRM-07). */
export function streamHeaders(
  { incarnation }: Pick<Stream, 'incarnation'>,
  nextOffset: Offset,
  upToDate: boolean,
): Record<string, string> {
  return {
    'Stream-Next-Offset': nextOffset,
    'Stream-Incarnation': incarnation,
    ...(upToDate && { 'Stream-Up-To-Date': 'true' }),
  };
}

/** Whether `If-None-Match` names the tag; weak comparison, as a cache does. */
export function matchesTag(request: Request, etag: string): boolean {
  const header = request.headers.get('if-none-match');
  if (header === null) return false;
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}
