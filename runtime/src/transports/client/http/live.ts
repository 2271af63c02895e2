import type { Chunk, StreamCheckpoint } from '../../../conversation/projections/chunk.ts';
import type { LiveEnd, LiveRead } from '../transport.ts';
import { type HttpClient, NetworkFailure } from './client.ts';

/** Heartbeats come four times as often, so a connection that brings nothing for so long is dead (OBSV-06). */
const STALE_MS = 90_000;

/** One connection that follows a conversation: an event stream, or one long poll. */
export async function followLive(client: HttpClient, url: string, read: LiveRead): Promise<LiveEnd> {
  const stale = new AbortController();
  const signal = AbortSignal.any([read.signal, stale.signal]);
  let cancel = () => {};
  const alive = () => {
    cancel();
    cancel = read.timing.timer(STALE_MS, () => stale.abort(new NetworkFailure('nothing came for 90 s')));
  };
  alive();
  try {
    const live = read.live === 'page' ? '' : `&live=${read.live}`;
    const response = await client.open({
      method: 'GET',
      url: `${url}?view=updates${live}&offset=${encodeURIComponent(read.offset)}`,
      repeatable: false,
      refresh: read.refresh,
      signal,
    });
    read.opened();
    return read.live === 'sse' ? await readStream(response, read, alive) : await readPage(response, read);
  } finally {
    cancel();
    // Whatever ended it, nothing of it is wanted any more.
    stale.abort();
  }
}

async function readPage(response: Response, read: LiveRead): Promise<LiveEnd> {
  const items = JSON.parse(await response.text()) as (Chunk | StreamCheckpoint)[];
  const offset = response.headers.get('stream-next-offset') ?? undefined;
  read.receive({ ...sorted(items), offset, upToDate: response.headers.get('stream-up-to-date') === 'true' });
  return { kind: 'page' };
}

/** What a control event says (SSE-02, SSE-04). */
interface Control {
  readonly streamNextOffset: string;
  readonly upToDate?: boolean;
  readonly closing?: boolean;
  readonly retryAfterMs?: number;
}

async function readStream(response: Response, read: LiveRead, alive: () => void): Promise<LiveEnd> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { kind: 'ended' };
    alive();
    text += value;
    const end = text.lastIndexOf('\n\n');
    if (end < 0) continue;
    const frames = text.slice(0, end).split('\n\n').map(parseFrame);
    text = text.slice(end + 2);
    const items = frames.flatMap(({ event, data }) => (event === 'data' ? (data as Chunk[]) : []));
    const controls = frames.flatMap(({ event, data }) => (event === 'control' ? [data as Control] : []));
    const last = controls.at(-1);
    if (items.length > 0 || last) {
      read.receive({ ...sorted(items), offset: last?.streamNextOffset, upToDate: last?.upToDate === true });
    }
    if (last?.closing) return { kind: 'closing', retryAfterMs: last.retryAfterMs ?? 0 };
  }
}

/** The first item of a connection says which stream it is of; it is never applied. */
function sorted(items: readonly (Chunk | StreamCheckpoint)[]): { chunks: Chunk[]; incarnation?: string } {
  const chunks: Chunk[] = [];
  let incarnation: string | undefined;
  for (const item of items) {
    if (item.type === 'stream-checkpoint') ({ incarnation } = item);
    else chunks.push(item);
  }
  return { chunks, ...(incarnation !== undefined && { incarnation }) };
}

function parseFrame(frame: string): { readonly event?: string; readonly data?: unknown } {
  let event: string | undefined;
  let data: unknown;
  for (const line of frame.split('\n')) {
    if (line.startsWith('event: ')) event = line.slice('event: '.length);
    else if (line.startsWith('data: ')) data = JSON.parse(line.slice('data: '.length));
  }
  return { ...(event !== undefined && { event }), data };
}
