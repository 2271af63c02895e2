import { type HistoryWindow, resolveCursor } from '../../app/history-window.ts';
import type { LineReader } from '../../app/live-lines.ts';
import { openCursor, readHistory, readUpdates } from '../../app/reader.ts';
import { liveReadersOf } from '../../app/reader-live.ts';
import { requireStream, type Stream, streamCheckpoint } from '../../app/reader-stream.ts';
import { waitForChange } from '../../app/reader-wait.ts';
import { readWindow } from '../../app/reader-window.ts';
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
  if (request.raw.method === 'HEAD') return head(request, stream);
  if (query.view === 'history') return history(request, stream, query.window);
  const offset = resolveOffset(stream, query.offset);
  switch (query.live) {
    case 'sse':
      return eventStream(request, openCursor(stream, offset));
    case 'long-poll':
      return longPoll(request, stream, offset);
    default:
      return updates(request, stream, offset);
  }
}

/** STRM-10. */
function head({ raw, url }: AgentRequest, stream: Stream): Response {
  const tag = historyTag(stream.incarnation, stream.head, url);
  if (matchesTag(raw, tag)) return notModified(stream, tag);
  return jsonResponse(200, undefined, { ...streamHeaders(stream, stream.head, true), ETag: tag });
}

function notModified(stream: Stream, tag: string): Response {
  const headers = { ...BASE_HEADERS, ...streamHeaders(stream, stream.head, true), ETag: tag };
  return new Response(null, { status: 304, headers: { ...headers, 'Cache-Control': 'no-store' } });
}

/** The tag needs no more than where the stream stands, so an unchanged conversation costs no projection (HIST-02). */
async function history(
  { raw, url, runtime, path }: AgentRequest,
  stream: Stream,
  window: HistoryWindow | undefined,
): Promise<Response> {
  const place = window?.before === undefined ? undefined : resolveCursor(stream, window.before);
  const known = historyTag(stream.incarnation, stream.head, url);
  if (matchesTag(raw, known)) return notModified(stream, known);
  const { store } = runtime;
  const snapshot = window
    ? await readWindow(store, path, { limit: window.limit, place })
    : await readHistory(store, path);
  return jsonResponse(200, snapshot, {
    ...streamHeaders(snapshot, snapshot.offset, true),
    ETag: historyTag(snapshot.incarnation, snapshot.offset, url),
  });
}

/** Counts up whenever the same batches project to another snapshot. */
const PROJECTION_FORMAT = 1;

function historyTag(incarnation: string, offset: Offset, url: URL): string {
  const window = [url.searchParams.get('limit') ?? '', url.searchParams.get('before') ?? ''].join('.');
  return `"${incarnation}.${offset}.${PROJECTION_FORMAT}.${window}"`;
}

/** One page (UPD-02): the checkpoint, then the chunks. */
async function updates(
  { runtime }: AgentRequest,
  stream: Stream,
  offset: Offset,
  lines?: LineReader,
): Promise<Response> {
  const cursor = openCursor(stream, offset);
  const page = await readUpdates(runtime.store, cursor, runtime.settings.http);
  const chunks = lines?.merge(page.chunks, cursor.state.after) ?? page.chunks;
  const body = [streamCheckpoint(stream), ...chunks];
  return jsonResponse(200, body, streamHeaders(stream, page.nextOffset, page.upToDate));
}

/** Answers at once when there is news, else waits for it or for `longPollMs` (UPD-03). */
async function longPoll(request: AgentRequest, stream: Stream, offset: Offset): Promise<Response> {
  const { raw, runtime, path } = request;
  const timeoutMs = runtime.settings.http.longPollMs;
  const lines = runtime.lines.listen(path);
  try {
    await park(raw, liveReadersOf(runtime), path, (signal) =>
      waitForChange(runtime, path, offset, { signal, timeoutMs, lines }),
    );
    return await updates(request, stream, offset, lines);
  } finally {
    lines.close();
  }
}
