import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setCurrentRuntime } from '../../app/current.ts';
import { liveReadersOf } from '../../app/reader-live.ts';
import type { FlueRuntime } from '../../app/runtime.ts';
import type { HttpSettings } from '../../contract/limits.ts';
import { formatOffset } from '../../ports/offset.ts';
import type { FlueStore } from '../../ports/store.ts';
import { type FakeClock, fakeClock } from '../../testing/fake-clock.ts';
import { type Frame, readEvents } from './event-reader.fixture.ts';
import { type Served, serve } from './served-agent.fixture.ts';

let served: Served;
beforeAll(async () => {
  served = await serve(({ messages }) =>
    JSON.stringify(messages.at(-1)).includes('Wait for order 7.')
      ? { toolCalls: [{ name: 'hold', arguments: { orderId: '7' } }] }
      : { text: 'Yes.' },
  );
  await say('quiet');
});
afterEach(() => setCurrentRuntime(served.runtime));
afterAll(() => served.stop());

/** One settled exchange. */
async function say(id: string): Promise<void> {
  const sent = (await (await served.post(`/${id}`, { kind: 'user', body: 'x' })).json()) as {
    submissionId: string;
  };
  await served.settled(id, sent.submissionId);
}

const events = (id: string, offset = 'now', init?: RequestInit) =>
  served.fetch(`/${id}?view=updates&live=sse&offset=${offset}`, init);
const isControl = (frame: Frame) => frame.event === 'control';

/** The same runtime for the router alone, with its time held, other settings, or a store that misbehaves. */
function held(o: { http?: Partial<HttpSettings>; store?: Partial<FlueStore> } = {}): {
  clock: FakeClock;
  runtime: FlueRuntime;
} {
  const clock = fakeClock();
  const { settings, store } = served.runtime;
  const runtime: FlueRuntime = Object.create(served.runtime, {
    clock: { value: clock },
    settings: { value: { ...settings, http: { ...settings.http, ...o.http } } },
    store: { value: { ...store, ...o.store } },
  });
  setCurrentRuntime(runtime);
  return { clock, runtime };
}

describe('an event stream', () => {
  it('has the headers that keep proxies from holding it back (SSE-01)', async () => {
    const response = await events('quiet');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'stream-incarnation': expect.stringMatching(/^inc_/),
    });
    await response.body?.cancel();
  });

  it('begins with retry and the checkpoint, and sends data before the control that covers it (SSE-02, SSE-03)', async () => {
    const reader = readEvents(await events('quiet', '-1'));
    const [retry, data, control] = await reader.until(isControl);
    expect(retry).toEqual({ retry: '1000' });
    expect(data?.event).toBe('data');
    expect(data?.data.map(({ type }: { type: string }) => type).slice(0, 2)).toEqual([
      'stream-checkpoint',
      'conversation-reset',
    ]);
    expect(control).toEqual({
      event: 'control',
      id: control?.data.streamNextOffset,
      data: { streamNextOffset: control?.data.streamNextOffset, upToDate: true },
    });
    await reader.cancel();
  });

  it('sends the same chunks as a plain read, as they are recorded (SSE-02)', async () => {
    await say('follow');
    const { offset } = (await (await served.fetch('/follow')).json()) as { offset: string };
    const reader = readEvents(await events('follow'));
    await reader.until(isControl);
    const said = say('follow');
    const frames = await reader.until(
      ({ data }) => JSON.stringify(data)?.includes('submission-settled') ?? false,
    );
    await said;
    const live = frames.filter(({ event }) => event === 'data').flatMap(({ data }) => data);
    const plain = (await (await served.fetch(`/follow?view=updates&offset=${offset}`)).json()) as unknown[];
    const drafts = (chunk: { type: string }) =>
      chunk.type !== 'message-delta' && chunk.type !== 'message-started';
    expect(live.filter(drafts)).toEqual((plain.slice(1) as { type: string }[]).filter(drafts));
    await reader.cancel();
  });

  it('resumes from Last-Event-ID in place of the offset (SSE-03)', async () => {
    const response = await events('quiet', '-1', { headers: { 'last-event-id': formatOffset(2) } });
    const reader = readEvents(response);
    const [, data] = await reader.until(isControl);
    expect(data?.data[1].position.batch).toBe(3);
    await reader.cancel();
    expect((await events('quiet', '-1', { headers: { 'last-event-id': 'x' } })).status).toBe(400);
  });
});

describe('time on an event stream', () => {
  it('is filled with heartbeats, and with a control event at least every longPollMs (SSE-01, SSE-02)', async () => {
    const { clock } = held();
    const reader = readEvents(await events('quiet'));
    await reader.until(isControl);
    await clock.advance(15_000);
    expect(await reader.next()).toEqual({ comment: 'heartbeat' });
    await clock.advance(15_000);
    const [heartbeat, control] = await reader.until(isControl);
    expect(heartbeat).toEqual({ comment: 'heartbeat' });
    expect(control?.data).toMatchObject({ upToDate: true });
    expect(clock.pending).toBe(2);
    await reader.cancel();
    expect(clock.pending).toBe(0);
  });

  it('keeps a reader for as long as a tool is silent, and then brings its result (SSE-01, PC-054)', async () => {
    const { clock } = held();
    await served.post('/slow', { kind: 'user', body: 'Wait for order 7.' });
    const reader = readEvents(await events('slow', '-1'));
    await reader.until(({ data }) => JSON.stringify(data)?.includes('"toolName":"hold"') ?? false);
    // Six minutes, more than any timeout of a proxy or a client.
    for (let heartbeats = 0; heartbeats < 24; heartbeats++) {
      await clock.advance(15_000);
      await reader.until(({ comment }) => comment === 'heartbeat');
    }
    served.letGo();
    const frames = await reader.until(({ data }) => JSON.stringify(data)?.includes('settled') ?? false);
    expect(JSON.stringify(frames)).toContain('"held":"7"');
    await reader.cancel();
  });

  it('ends as planned after sseMaxLifetimeMs (SSE-04)', async () => {
    const { clock } = held({ http: { sseMaxLifetimeMs: 5000 } });
    const reader = readEvents(await events('quiet'));
    await reader.until(isControl);
    await clock.advance(5000);
    const [closing] = await reader.until(isControl);
    expect(closing?.data).toMatchObject({ closing: true, reason: 'lifetime' });
    expect(await reader.next()).toBeUndefined();
    expect(clock.pending).toBe(0);
  });
});

describe('the end of the runtime', () => {
  it('flushes what is durable, says when to come back, and closes (SSE-04, LIVE-06, SHD-07)', async () => {
    const { runtime } = held();
    const reader = readEvents(await events('quiet', '-1'));
    const drained = liveReadersOf(runtime).drain();
    const frames = await reader.until(({ data }) => data?.closing === true);
    const types = frames.flatMap(({ event, data }) => (event === 'data' ? data : [])).map(({ type }) => type);
    expect(types).toContain('conversation-reset');
    const { retryAfterMs, reason } = frames.at(-1)?.data ?? {};
    expect(reason).toBe('shutdown');
    expect(retryAfterMs).toBeGreaterThanOrEqual(250);
    expect(retryAfterMs).toBeLessThanOrEqual(2000);
    expect(await reader.next()).toBeUndefined();
    await drained;
    const late = readEvents(await events('quiet', 'now'));
    expect((await late.until(({ data }) => data?.closing === true)).at(-1)?.data.reason).toBe('shutdown');
  });

  it('answers parked long-polls at once with what there is (LIVE-06, SHD-07)', async () => {
    const { runtime } = held();
    const parked = served.fetch('/quiet?view=updates&live=long-poll&offset=now');
    await new Promise((resolve) => setImmediate(resolve));
    await liveReadersOf(runtime).drain();
    const response = await parked;
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual([{ type: 'stream-checkpoint', incarnation: expect.any(String) }]);
  });

  it('does not wait beyond drainMs for a reader that takes nothing (LIVE-06)', async () => {
    const { runtime, clock } = held({ http: { sseBufferBytes: 1 } });
    const response = await events('quiet', '-1');
    await new Promise((resolve) => setImmediate(resolve));
    let done = false;
    const drained = liveReadersOf(runtime)
      .drain()
      .then(() => (done = true));
    await clock.advance(9_999);
    expect(done).toBe(false);
    await clock.advance(1);
    await drained;
    await response.body?.cancel();
  });
});

describe('a reader that takes no bytes', () => {
  it('stops the production for itself; nothing is read ahead of its buffer (LIVE-02)', async () => {
    let reads = 0;
    const { store } = served.runtime;
    const { clock } = held({
      http: { sseBufferBytes: 300, pageBatches: 1 },
      store: {
        read: (path, o) => {
          reads += 1;
          return store.read(path, o);
        },
      },
    });
    const response = await events('quiet', '-1');
    await clock.advance(40_000);
    expect(reads).toBe(1);
    const reader = readEvents(response);
    const frames = await reader.until(({ data }) => data?.upToDate === true);
    expect(frames.filter(({ comment }) => comment)).toEqual([]);
    expect(frames.filter(({ event }) => event === 'data')).toHaveLength(3);
    await reader.cancel();
  });

  it('is disconnected after sseStallMs and gives up its place (LIVE-03)', async () => {
    const { clock, runtime } = held({ http: { sseBufferBytes: 10, maxLiveReaders: 1 } });
    const response = await events('quiet', '-1');
    await clock.advance(60_000);
    await expect(response.text()).rejects.toThrow('stalled');
    expect(served.log.at(-1)).toMatch(/GET \/agents\/orders\/quiet .*stalled/);
    expect(clock.pending).toBe(0);
    expect(() => liveReadersOf(runtime).enter('agents/Orders/quiet', () => {})).not.toThrow();
  });
});

describe('a failure behind the headers', () => {
  it('breaks the body, whole frames only, and is logged with a reference (SSE-05, ENV-07)', async () => {
    served.log.length = 0;
    let reads = 0;
    const { store } = served.runtime;
    const { clock } = held({
      http: { pageBatches: 1 },
      store: {
        read: (path, o) => (++reads > 2 ? Promise.reject(new Error('disk on fire')) : store.read(path, o)),
      },
    });
    const reader = readEvents(await events('quiet', '-1'));
    await reader.until(isControl);
    await expect(reader.until(({ data }) => data?.upToDate === true)).rejects.toThrow('disk on fire');
    expect(served.log.join('')).toMatch(
      /^\[flue\] \[err_\w{26}\] request=GET \/agents\/orders\/quiet .*disk on fire/,
    );
    expect(clock.pending).toBe(0);
  });
});

describe('the number of live readers', () => {
  it.each(['maxLiveReaders', 'maxLiveReadersPerInstance'] as const)(
    'is bounded by %s; plain reads go on (LIVE-04)',
    async (limit) => {
      held({ http: { [limit]: 1 } });
      const first = await events('quiet');
      for (const live of ['sse', 'long-poll']) {
        const refused = await served.fetch(`/quiet?view=updates&offset=now&live=${live}`);
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
        expect(await refused.json()).toMatchObject({ error: { type: 'live_reader_limit' } });
      }
      expect((await served.fetch('/quiet?view=updates&offset=now')).status).toBe(200);
      await first.body?.cancel();
      const next = await events('quiet');
      expect(next.status).toBe(200);
      await next.body?.cancel();
    },
  );

  it('gives every place, timer and watch back at a disconnect (SSE-06)', async () => {
    let watches = 0;
    const { store } = served.runtime;
    const { clock } = held({
      store: {
        watch(listener) {
          watches += 1;
          const unwatch = store.watch(listener);
          return () => {
            watches -= 1;
            unwatch();
          };
        },
      },
    });
    const leave = new AbortController();
    const byBody = await events('quiet');
    const bySignal = await events('quiet', 'now', { signal: leave.signal });
    expect([watches, clock.pending]).toEqual([1, 3]);
    await byBody.body?.cancel();
    leave.abort();
    await bySignal.text();
    expect([watches, clock.pending]).toEqual([0, 0]);
  });
});
