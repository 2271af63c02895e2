import { type Appearance, parseCursor } from '../conversation/projections/window.ts';
import { InvalidRequestError } from '../errors/invalid-request-error.ts';
import { StreamOffsetGoneError } from './errors.ts';
import type { Stream } from './reader-stream.ts';

/** Messages of one page of history. */
const MAX_WINDOW = 500;

/** Which part of the transcript is asked for; absent: all of it. */
export interface HistoryWindow {
  readonly limit: number;
  readonly before?: string;
}

/** Throws `InvalidRequestError` for what is no window (HIST-12). */
export function checkWindow(
  limit: number | undefined,
  before: string | undefined,
): HistoryWindow | undefined {
  if (limit === undefined) {
    if (before === undefined) return undefined;
    throw new InvalidRequestError({ field: 'before', rule: 'goes with limit only' });
  }
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_WINDOW) {
    throw new InvalidRequestError({ field: 'limit', rule: `must be an integer from 1 to ${MAX_WINDOW}` });
  }
  if (before !== undefined && !parseCursor(before)) {
    throw new InvalidRequestError({ field: 'before', rule: 'must be the previousCursor of a window' });
  }
  return { limit, ...(before !== undefined && { before }) };
}

/** The place that a cursor names. Throws when the conversation was reset since (HIST-12). */
export function resolveCursor(stream: Stream, cursor: string): Appearance {
  const { incarnation, place } = parseCursor(cursor)!;
  if (incarnation === stream.incarnation) return place;
  throw new StreamOffsetGoneError({ offset: cursor, nextOffset: stream.head });
}
