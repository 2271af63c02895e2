import { openCursor, readHistory, readUpdates } from '../../app/reader.ts';
import { liveReadersOf } from '../../app/reader-live.ts';
import { requireStream, type Stream, streamCheckpoint } from '../../app/reader-stream.ts';
import { waitForChange } from '../../app/reader-wait.ts';
import type { Offset } from '../../ports/store.ts';
import { BASE_HEADERS, jsonResponse, matchesTag, streamHeaders } from './headers.ts';
import { park } from './park.ts';
import type { AgentRequest } from './request.ts';
import { eventStream } from './sse.ts';
import { resolveOffset, streamQuery } from './stream-query.ts';

/** `GET` and `HEAD /:id`: the conversation as a snapshot, a page of updates, or live. */
export async function conversation(request: AgentRequest): Promise<Response> {
  const query = streamQuery(request.url, request.raw);
  const stream = await requireStream(request.runtime.store, request.path);
  if (request.raw.method === 'HEAD') return head(stream);
  if (query.view === 'history') return history(request, stream);
  const offset = resolveOffset(stream, query.offset);
  switch (query.live) {
    case 'sse':
      return eventStream(request, openCursor(stream, offset));
    case 'long-poll':
      await parkForChange(request, offset);
      return updates(request, stream, offset);
    default:
      return updates(request, stream, offset);
  }
}

/** STRM-10. */
function head(stream: Stream): Response {
  return jsonResponse(200, undefined, {
    ...streamHeaders(stream, stream.head, true),
    ETag: historyTag(stream.incarnation, stream.head),
  });
}

/** The tag needs no more than where the stream stands, so an unchanged conversation costs no projection (HIST-02). */
async function history({ raw, runtime, path }: AgentRequest, stream: Stream): Promise<Response> {
  const known = historyTag(stream.incarnation, stream.head);
  if (matchesTag(raw, known)) {
    const headers = { ...BASE_HEADERS, ...streamHeaders(stream, stream.head, true), ETag: known };
    return new Response(null, { status: 304, headers: { ...headers, 'Cache-Control': 'no-store' } });
  }
  const snapshot = await readHistory(runtime.store, path);
  return jsonResponse(200, snapshot, {
    ...streamHeaders(snapshot, snapshot.offset, true),
    ETag: historyTag(snapshot.incarnation, snapshot.offset),
  });
}

/** Counts up whenever the same batches project to another snapshot. */
const PROJECTION_FORMAT = 1;

function historyTag(incarnation: string, offset: Offset): string {
  return `"${incarnation}.${offset}.${PROJECTION_FORMAT}"`;
}

/** One page (UPD-02): the checkpoint, then the chunks. */
async function updates({ runtime }: AgentRequest, stream: Stream, offset: Offset): Promise<Response> {
  const page = await readUpdates(runtime.store, openCursor(stream, offset), runtime.settings.http);
  const body = [streamCheckpoint(stream), ...page.chunks];
  return jsonResponse(200, body, streamHeaders(stream, page.nextOffset, page.upToDate));
}

/** Answers at once when there is news, else waits for it or for `longPollMs` (UPD-03). */
async function parkForChange({ raw, runtime, path }: AgentRequest, offset: Offset): Promise<void> {
  const timeoutMs = runtime.settings.http.longPollMs;
  await park(raw, liveReadersOf(runtime), path, (signal) =>
    waitForChange(runtime, path, offset, { signal, timeoutMs }),
  );
}
