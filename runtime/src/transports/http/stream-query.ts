import { StreamOffsetGoneError } from '../../app/errors.ts';
import { checkWindow, type HistoryWindow } from '../../app/history-window.ts';
import { batchOf, type Stream } from '../../app/reader-stream.ts';
import { InvalidRequestError } from '../../errors/invalid-request-error.ts';
import { formatOffset, ORIGIN } from '../../ports/offset.ts';
import type { Offset } from '../../ports/store.ts';
import { queryValue, refuseQuery } from './request.ts';

/** What a read of `/:id` asks for (HIST and UPD clauses). */
export type StreamQuery =
  | { readonly view: 'history'; readonly window?: HistoryWindow }
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
function historyWindow(url: URL): { readonly window?: HistoryWindow } {
  const limit = queryValue(url, 'limit');
  // What is no plain number is none for the check either.
  const count = limit === undefined ? undefined : /^\d{1,3}$/.test(limit) ? Number(limit) : Number.NaN;
  const window = checkWindow(count, queryValue(url, 'before'));
  return window ? { window } : {};
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
