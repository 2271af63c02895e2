import { InvalidRequestError, StreamOffsetGoneError } from '../../app/errors.ts';
import { batchOf, type Stream } from '../../app/reader-stream.ts';
import { type Appearance, parseCursor } from '../../conversation/projections/window.ts';
import { formatOffset, ORIGIN } from '../../ports/offset.ts';
import type { Offset } from '../../ports/store.ts';
import { queryValue, refuseQuery } from './request.ts';

/** What a read of `/:id` asks for (HIST and UPD clauses). */
export type StreamQuery =
  | { readonly view: 'history'; readonly window?: { readonly limit: number; readonly before?: string } }
  | { readonly view: 'updates'; readonly offset: string; readonly live?: 'long-poll' | 'sse' };

export function streamQuery(url: URL, request: Request): StreamQuery {
  const view = queryValue(url, 'view') ?? 'history';
  if (view === 'history') {
    refuseQuery(url, ['offset', 'tail', 'live'], 'goes with view=updates only');
    return { view, ...historyWindow(url) };
  }
  if (view !== 'updates')
    throw new InvalidRequestError({ field: 'view', rule: 'must be history or updates' });
  refuseQuery(url, ['limit', 'before'], 'goes with view=history only');
  refuseQuery(url, ['tail'], 'is not served: a suffix cannot be projected safely');
  const live = queryValue(url, 'live');
  if (live === undefined) return { view, offset: requireOffset(url) };
  if (live === 'long-poll') return { view, live, offset: requireOffset(url) };
  if (live !== 'sse')
    throw new InvalidRequestError({ field: 'live', rule: 'must be long-poll, sse or absent' });
  const lastEventId = request.headers.get('last-event-id');
  return { view, live, offset: lastEventId ? checkOffset('Last-Event-ID', lastEventId) : requireOffset(url) };
}

/** HIST-12. */
function historyWindow(url: URL): Pick<Extract<StreamQuery, { view: 'history' }>, 'window'> {
  const limit = queryValue(url, 'limit');
  const before = queryValue(url, 'before');
  if (limit === undefined) {
    if (before !== undefined)
      throw new InvalidRequestError({ field: 'before', rule: 'goes with limit only' });
    return {};
  }
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_WINDOW) {
    throw new InvalidRequestError({ field: 'limit', rule: `must be an integer from 1 to ${MAX_WINDOW}` });
  }
  if (before !== undefined && !parseCursor(before)) {
    throw new InvalidRequestError({ field: 'before', rule: 'must be the previousCursor of a window' });
  }
  return { window: { limit: Number(limit), ...(before !== undefined && { before }) } };
}

/** Messages of one page of history. */
const MAX_WINDOW = 500;

/** The place that a cursor names. Throws when the conversation was reset since (HIST-12). */
export function resolveCursor(stream: Stream, cursor: string): Appearance {
  const { incarnation, place } = parseCursor(cursor)!;
  if (incarnation === stream.incarnation) return place;
  throw new StreamOffsetGoneError({ offset: cursor, nextOffset: stream.head });
}

function requireOffset(url: URL): string {
  return checkOffset('offset', queryValue(url, 'offset') ?? '');
}

function checkOffset(field: string, value: string): string {
  if (value === ORIGIN || value === 'now' || /^\d+_\d+$/.test(value)) return value;
  throw new InvalidRequestError({ field, rule: 'must be an offset of this stream, -1 or now' });
}

/** The offset as the store writes it; `now` is the head. Throws for one beyond the head (STRM-02, STRM-04). */
export function resolveOffset(stream: Stream, offset: string): Offset {
  if (offset === 'now') return stream.head;
  if (offset === ORIGIN) return ORIGIN;
  const [epoch, batch] = offset.split('_').map(Number) as [number, number];
  if (epoch > 0 || batch > batchOf(stream.head))
    throw new StreamOffsetGoneError({ offset, nextOffset: stream.head });
  return batch === 0 ? ORIGIN : formatOffset(batch);
}
