import { describe, expect, it } from 'vitest';
import type { LiveNews, LiveRead } from '../transport.ts';
import { httpClient } from './client.ts';
import { followLive } from './live.ts';

const CHUNK = { type: 'of-tomorrow', conversationId: 'c', position: { batch: 1, index: 0 } };
const CHECKPOINT = { type: 'stream-checkpoint', incarnation: 'inc_1' };
const data = (...items: unknown[]) => `event: data\ndata: ${JSON.stringify(items)}\n\n`;
const control = (event: object) => `event: control\nid: 1\ndata: ${JSON.stringify(event)}\n\n`;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Follows a body that the test writes, with the clock in its hands. */
function following(live: LiveRead['live'] = 'sse', answer?: Response) {
  let body: ReadableStreamDefaultController<Uint8Array>;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      body = controller;
    },
  });
  const requests: string[] = [];
  const news: LiveNews[] = [];
  const timers = new Map<() => void, number>();
  const client = httpClient({
    fetch: async (url, { signal }) => {
      requests.push(url);
      signal?.addEventListener('abort', () => {
        try {
          body.error(signal.reason);
        } catch {
          // It has ended already.
        }
      });
      return answer ?? new Response(stream);
    },
  });
  const ended = followLive(client, 'http://x.test/1', {
    offset: '0_1',
    live,
    signal: new AbortController().signal,
    timing: {
      timer(ms, call) {
        timers.set(call, ms);
        return () => void timers.delete(call);
      },
    },
    refresh: false,
    opened: () => {},
    receive: (what) => void news.push(what),
  });
  ended.catch(() => {});
  const encoder = new TextEncoder();
  return {
    ended,
    requests,
    news,
    timers,
    write: async (text: string) => {
      body.enqueue(encoder.encode(text));
      await settle();
    },
    end: () => body.close(),
  };
}

describe('a connection that follows a conversation', () => {
  it('brings what one network read holds at once, and the offset with the control event that covers it (OBSV-08, SSE-02)', async () => {
    const o = following();
    await o.write(data(CHECKPOINT, CHUNK).slice(0, 20));
    expect(o.news).toEqual([]);
    await o.write(data(CHECKPOINT, CHUNK).slice(20) + control({ streamNextOffset: '0_2', upToDate: true }));
    await o.write(data(CHUNK));
    expect(o.requests).toEqual(['http://x.test/1?view=updates&live=sse&offset=0_1']);
    expect(o.news).toEqual([
      { chunks: [CHUNK], incarnation: 'inc_1', offset: '0_2', upToDate: true },
      { chunks: [CHUNK], offset: undefined, upToDate: false },
    ]);
    o.end();
    expect(await o.ended).toEqual({ kind: 'ended' });
    expect(o.timers.size).toBe(0);
  });

  it('ends as the server says when the end is planned (OBSV-04, SSE-04)', async () => {
    const o = following();
    await o.write(control({ streamNextOffset: '0_2', closing: true, reason: 'shutdown', retryAfterMs: 700 }));
    expect(await o.ended).toEqual({ kind: 'closing', retryAfterMs: 700 });
  });

  it('is dropped after 90 s without a byte; a heartbeat counts (OBSV-06)', async () => {
    const o = following();
    await settle();
    const [before] = o.timers.keys();
    expect([...o.timers.values()]).toEqual([90_000]);
    await o.write(': heartbeat\n\n');
    const [after] = o.timers.keys();
    expect(o.timers.size).toBe(1);
    expect(after).not.toBe(before);
    after!();
    await expect(o.ended).rejects.toThrow('The network failed.');
    expect(o.timers.size).toBe(0);
  });

  it('reads a page at once, or parks for one (OBSV-01)', async () => {
    const page = () =>
      new Response(JSON.stringify([CHECKPOINT, CHUNK]), {
        headers: { 'stream-next-offset': '0_3', 'stream-up-to-date': 'true' },
      });
    const now = following('page', page());
    expect(await now.ended).toEqual({ kind: 'page' });
    const parked = following('long-poll', page());
    expect(await parked.ended).toEqual({ kind: 'page' });
    expect([...now.requests, ...parked.requests]).toEqual([
      'http://x.test/1?view=updates&offset=0_1',
      'http://x.test/1?view=updates&live=long-poll&offset=0_1',
    ]);
    expect(now.news).toEqual([{ chunks: [CHUNK], incarnation: 'inc_1', offset: '0_3', upToDate: true }]);
  });

  it('is refused with the error of the answer', async () => {
    const o = following('sse', new Response('{"error":{"type":"stream_not_found"}}', { status: 404 }));
    await expect(o.ended).rejects.toMatchObject({ status: 404, type: 'stream_not_found' });
  });
});
