import type { StreamCheckpoint } from '../conversation/projections/chunk.ts';
import { conversationId } from '../conversation/records/index.ts';
import { ORIGIN, parseOffset } from '../ports/offset.ts';
import type { FlueStore, InstanceRow, Offset, SubmissionRow } from '../ports/store.ts';
import { StreamNotFoundError, StreamOffsetGoneError } from './errors.ts';

/** The stream of an instance as a read found it. */
export interface Stream {
  readonly path: string;
  readonly uid: string;
  readonly incarnation: string;
  readonly conversationId: string;
  readonly head: Offset;
}

export async function findStream(store: FlueStore, path: string): Promise<Stream | undefined> {
  // No checkpoint is that old, so none is read.
  const view = await store.load(path, { atOrBefore: ORIGIN });
  return view ? streamOf(view.instance) : undefined;
}

/** The stream and its unsettled rows, of one moment. Throws `StreamNotFoundError`. */
export async function requireView(
  store: FlueStore,
  path: string,
): Promise<{ readonly stream: Stream; readonly rows: readonly SubmissionRow[] }> {
  const view = await store.load(path, { atOrBefore: ORIGIN });
  if (!view) throw new StreamNotFoundError();
  return { stream: streamOf(view.instance), rows: view.rows };
}

/** Throws `StreamNotFoundError` for an instance that never received a message (STRM-08). */
export async function requireStream(store: FlueStore, path: string): Promise<Stream> {
  const stream = await findStream(store, path);
  if (!stream) throw new StreamNotFoundError();
  return stream;
}

function streamOf({ path, uid, incarnation, head }: InstanceRow): Stream {
  return { path, uid, incarnation, conversationId: conversationId(incarnation), head };
}

/** Throws `StreamOffsetGoneError` for an offset beyond the head: the stream it is from was reset (STRM-04). */
export function requireReached(stream: Stream, offset: Offset): void {
  if (batchOf(offset) > batchOf(stream.head))
    throw new StreamOffsetGoneError({ offset, nextOffset: stream.head });
}

/** What every page and every event stream begins with. */
export function streamCheckpoint({ incarnation }: Stream): StreamCheckpoint {
  return { type: 'stream-checkpoint', incarnation };
}

export function batchOf(offset: Offset): number {
  return parseOffset(offset) ?? 0;
}
