import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { Chunk, ChunkBody, ConversationSnapshot } from '../../../conversation/projections/chunk.ts';
import { FlueApiError } from '../http/errors.ts';
import type { ConversationTransport, HistoryRead, LiveEnd, LiveRead } from '../transport.ts';
import { observeConversation } from './observation.ts';

const EMPTY: ConversationSnapshot = {
  v: 1,
  conversationId: 'conv',
  offset: '0_1',
  incarnation: 'inc_1',
  messages: [],
  settlements: [],
  pending: [],
};
const MESSAGE = {
  id: 'm',
  role: 'assistant',
  purpose: 'assistant',
  display: 'visible',
  parts: [{ type: 'text', text: 'Hel', state: 'streaming' }],
} as const satisfies ConversationSnapshot['messages'][number];
const refused = (status: number) => new FlueApiError({ status, body: {} });
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

const at = (batch: number, body: ChunkBody): Chunk => ({
  ...body,
  conversationId: 'conv',
  position: { batch, index: 0 },
});
const call = { messageId: 'm', toolCallId: 't1', toolName: 'hold' };
const CALLED = at(3, { type: 'tool-input', ...call, input: { a: 1 }, inputValid: true });
const ANSWERED = at(4, { type: 'tool-output', ...call, output: 'done' });
const delta = (batch: number, text: string, place: number) =>
  at(batch, { type: 'message-delta', messageId: 'm', kind: 'text', delta: text, part: 0, at: place });

interface Connection {
  readonly read: LiveRead;
  end(end: LiveEnd): void;
  fail(error: Error): void;
}

/** A transport that answers as told, with a clock that the test turns. */
function held(
  histories: (ConversationSnapshot | Error)[],
  options: { live?: 'sse' | 'long-poll'; signal?: AbortSignal } = {},
) {
  const asked: (HistoryRead & { refresh: boolean | undefined })[] = [];
  const connections: Connection[] = [];
  const timers = new Map<() => void, number>();
  const frames = new Set<() => void>();
  let now = 0;
  const transport = {
    fileUrl: (id: string) => `http://x.test/${id}`,
    async history(read: HistoryRead, attempt?: { refresh: boolean }) {
      asked.push({ ...read, refresh: attempt?.refresh });
      const next = histories.shift();
      if (next === undefined) throw new Error('one history too many');
      if (next instanceof Error) throw next;
      return structuredClone(next);
    },
    follow: (read: LiveRead) =>
      new Promise<LiveEnd>((resolve, reject) => {
        read.opened();
        connections.push({ read, end: resolve, fail: reject });
        read.signal.addEventListener('abort', () => reject(read.signal.reason), { once: true });
      }),
  } as unknown as ConversationTransport;
  const observation = observeConversation(transport, options, {
    random: () => 0.5,
    now: () => now,
    timer(ms, fn) {
      timers.set(fn, now + ms);
      return () => void timers.delete(fn);
    },
    frame(fn) {
      frames.add(fn);
      return () => void frames.delete(fn);
    },
    online: () => () => {},
  });
  const published: ReturnType<typeof observation.getSnapshot>[] = [];
  return {
    observation,
    asked,
    connections,
    published,
    /** begins to observe */
    async start() {
      observation.subscribe(() => published.push(observation.getSnapshot()));
      await settle();
    },
    /** delays that are being waited for */
    delays: () => [...timers.values()].map((due) => due - now),
    async pass(ms: number) {
      now += ms;
      for (const [fn, due] of [...timers]) {
        if (due > now) continue;
        timers.delete(fn);
        fn();
      }
      await settle();
    },
    draw() {
      for (const fn of [...frames]) {
        frames.delete(fn);
        fn();
      }
    },
    /** what one network read of the newest connection brings */
    bring(chunks: Chunk[], offset?: string) {
      connections.at(-1)!.read.receive({ chunks, offset, incarnation: 'inc_1', upToDate: true });
    },
    parts: () => observation.getSnapshot().conversation?.messages.map(({ parts }) => parts),
  };
}

describe('an observation', () => {
  it('reads nothing before it is subscribed to, then the whole once, then what follows (OBSV-01, OBSV-02, OBSV-09)', async () => {
    const o = held([{ ...EMPTY, messages: [{ ...MESSAGE, parts: [...MESSAGE.parts] }] }]);
    await settle();
    expect(o.asked).toEqual([]);
    expect(o.observation.getSnapshot()).toMatchObject({ phase: 'loading', conversation: undefined });
    await o.start();
    expect(o.published.map(({ phase }) => phase)).toEqual(['connecting']);
    expect(o.published[0]!.conversation).toMatchObject({ messages: [MESSAGE], offset: '0_1' });
    o.bring([], '0_1');
    expect(o.observation.getSnapshot().phase).toBe('live');
    o.observation.close();
    expect(o.observation.getSnapshot().phase).toBe('closed');
    expect(o.connections[0]!.read.signal.aborted).toBe(true);
    o.observation.refresh();
    expect(o.observation.getSnapshot().phase).toBe('closed');
  });

  it("is closed by its caller's signal, and lets go of one that outlives it (OBSV-01)", () => {
    const control = new AbortController();
    const [first, second] = [held([], { signal: control.signal }), held([], { signal: control.signal })];
    first.observation.close();
    expect(getEventListeners(control.signal, 'abort')).toHaveLength(1);
    control.abort();
    expect(second.observation.getSnapshot().phase).toBe('closed');
  });

  it('publishes one network read once, text at the next frame, and keeps what did not change (OBSV-08)', async () => {
    const other = {
      ...MESSAGE,
      id: 'other',
      parts: [{ type: 'text' as const, text: 'x', state: 'done' as const }],
    };
    const o = held([{ ...EMPTY, messages: [other, { ...MESSAGE, parts: [...MESSAGE.parts] }] }]);
    await o.start();
    o.bring([], '0_1');
    const before = o.observation.getSnapshot().conversation!;
    const published = o.published.length;
    o.bring([delta(2, 'lo', 3), delta(3, '!', 5)], '0_3');
    expect(o.published).toHaveLength(published);
    o.draw();
    expect(o.published).toHaveLength(published + 1);
    const after = o.observation.getSnapshot().conversation!;
    expect(after.messages[1]!.parts).toEqual([{ type: 'text', text: 'Hello!', state: 'streaming' }]);
    expect(after.messages[0]).toBe(before.messages[0]);
    expect(before.messages[1]!.parts).toEqual(MESSAGE.parts);
    o.bring([at(4, { ...CALLED, type: 'tool-input' } as ChunkBody)], '0_4');
    expect(o.published).toHaveLength(published + 2);
    const settled = o.observation.getSnapshot().conversation!;
    o.bring([at(5, { ...ANSWERED } as ChunkBody)], '0_5');
    const answered = o.observation.getSnapshot().conversation!;
    expect(answered.messages[1]!.parts[0]).toBe(settled.messages[1]!.parts[0]);
    expect(answered.messages[1]!.parts[1]).not.toBe(settled.messages[1]!.parts[1]);
  });

  it('resumes from the last offset, reads nothing again, and applies what is repeated once (OBSV-03, CHNK-01)', async () => {
    const o = held([{ ...EMPTY, messages: [{ ...MESSAGE, parts: [...MESSAGE.parts] }] }]);
    await o.start();
    const write = at(3, { type: 'data-part', messageId: 'm', name: 'progress', data: 1 });
    o.bring([delta(2, 'lo', 3), write]);
    o.bring([], '0_3');
    o.connections[0]!.fail(new Error('cut off'));
    await settle();
    expect(o.observation.getSnapshot().phase).toBe('connecting');
    await o.pass(1000);
    expect(o.connections[1]!.read.offset).toBe('0_3');
    o.bring([delta(2, 'lo', 3), write, delta(4, '!', 5)], '0_4');
    o.draw();
    expect(o.parts()).toEqual([
      [
        { type: 'text', text: 'Hello!', state: 'streaming' },
        { type: 'data-progress', data: 1, writes: 1 },
      ],
    ]);
    expect(o.asked).toHaveLength(1);
  });

  it.each([
    ['a gap', (o: ReturnType<typeof held>) => o.bring([delta(2, 'lo', 4)], '0_2')],
    [
      'a malformed chunk',
      (o: ReturnType<typeof held>) => o.bring([at(2, { type: 'message-appended' } as never)]),
    ],
    [
      'another incarnation',
      (o: ReturnType<typeof held>) =>
        o.connections.at(-1)!.read.receive({ chunks: [], incarnation: 'inc_2', upToDate: true }),
    ],
  ])('reads the whole again for %s (OBSV-03, CHNK-02)', async (_, bring) => {
    const whole = { ...EMPTY, messages: [{ ...MESSAGE, parts: [...MESSAGE.parts] }] };
    const o = held([whole, { ...whole, offset: '0_9' }]);
    await o.start();
    try {
      bring(o);
    } catch (error) {
      o.connections[0]!.fail(error as Error);
    }
    await settle();
    expect(o.asked).toHaveLength(2);
    expect(o.connections[1]!.read.offset).toBe('0_9');
  });

  it('skips chunks of types that it does not know (CHNK-03)', async () => {
    const o = held([EMPTY]);
    await o.start();
    o.bring([at(2, { type: 'of-tomorrow' } as never), { type: 'tool-input-delta' } as never], '0_2');
    expect(o.asked).toHaveLength(1);
    o.connections[0]!.end({ kind: 'ended' });
    await settle();
    await o.pass(1000);
    expect(o.connections[1]!.read.offset).toBe('0_2');
  });

  it('comes back after a delay that doubles to 30 s, and starts over once something was applied (OBSV-04)', async () => {
    const o = held([EMPTY]);
    await o.start();
    const waited: number[] = [];
    for (let round = 0; round < 7; round++) {
      o.connections.at(-1)!.fail(new Error('down'));
      await settle();
      waited.push(...o.delays());
      await o.pass(waited.at(-1)!);
    }
    expect(waited).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    o.bring([at(2, { type: 'message-appended', message: { ...MESSAGE, parts: [] } })], '0_2');
    o.connections.at(-1)!.fail(new Error('down'));
    await settle();
    expect(o.delays()).toEqual([1000]);
  });

  it('comes back when a planned end says so, and takes it for no failure (OBSV-04)', async () => {
    const o = held([EMPTY]);
    await o.start();
    o.bring([], '0_1');
    for (let round = 0; round < 3; round++) {
      o.connections.at(-1)!.end({ kind: 'closing', retryAfterMs: 400 });
      await settle();
      expect(o.delays()).toEqual([400]);
      await o.pass(400);
    }
    expect(o.connections).toHaveLength(4);
  });

  it('gives up at a 400 at once and at the third refusal in a row, with credentials asked for anew (OBSV-05)', async () => {
    const bad = held([refused(400)]);
    await bad.start();
    expect(bad.observation.getSnapshot()).toMatchObject({ phase: 'error', error: { status: 400 } });

    const o = held([refused(401), refused(401), refused(403), EMPTY]);
    await o.start();
    await o.pass(1000);
    await o.pass(2000);
    expect(o.asked.map(({ refresh }) => refresh)).toEqual([false, true, true]);
    expect(o.observation.getSnapshot()).toMatchObject({ phase: 'error', error: { status: 403 } });
    o.observation.refresh();
    await settle();
    expect(o.observation.getSnapshot()).toMatchObject({ phase: 'connecting', error: undefined });
  });

  it('uses long polls after three event streams that showed nothing, and tries a stream every 5 minutes (OBSV-07)', async () => {
    const o = held([EMPTY]);
    await o.start();
    for (const delay of [1000, 2000, 4000]) {
      o.connections.at(-1)!.end({ kind: 'ended' });
      await settle();
      await o.pass(delay);
    }
    expect(o.connections.map(({ read }) => read.live)).toEqual(['sse', 'sse', 'sse', 'page']);
    const next = async () => {
      o.bring([], '0_1');
      o.connections.at(-1)!.end({ kind: 'page' });
      await settle();
      return o.connections.at(-1)!.read.live;
    };
    expect(await next()).toBe('long-poll');
    await o.pass(300_000);
    expect(await next()).toBe('sse');
  });

  it('waits where nobody wrote yet, and reads once somebody did from here (OBSV-02, OBSV-10)', async () => {
    const o = held([refused(404), EMPTY]);
    await o.start();
    expect(o.observation.getSnapshot()).toMatchObject({ phase: 'absent', error: undefined });
    expect(o.delays()).toEqual([]);
    o.observation.contacted();
    expect(o.observation.getSnapshot().phase).toBe('connecting');
    await settle();
    expect(o.observation.getSnapshot().conversation).toMatchObject({ offset: '0_1' });
  });

  it('goes on when a listener throws (OBSV-09)', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {});
    const o = held([EMPTY]);
    o.observation.subscribe(() => {
      throw new Error('mine');
    });
    await o.start();
    expect(o.published).toHaveLength(1);
    expect(told).toHaveBeenCalledOnce();
    told.mockRestore();
  });
});

describe('what tools and data parts do', () => {
  /** Begins with one call that has been answered already. */
  const OLD = {
    ...MESSAGE,
    id: 'old',
    parts: [
      {
        type: 'dynamic-tool' as const,
        toolName: 'hold',
        toolCallId: 't0',
        input: {},
        inputValid: true,
        state: 'output-available' as const,
        output: 'before',
      },
    ],
  };
  const whole = { ...EMPTY, messages: [OLD, { ...MESSAGE, parts: [] }] };

  function listening(o: ReturnType<typeof held>) {
    const told: unknown[] = [];
    o.observation.onTool('hold', ((part: { state: string; toolCallId: string }, message: { id: string }) =>
      told.push([message.id, part.toolCallId, part.state])) as never);
    o.observation.onData('progress', ((data: unknown, message: { id: string }) =>
      told.push([message.id, data])) as never);
    return told;
  }

  it('is told once for each state, also of one network read, and not for what was there before (TCLI-11)', async () => {
    const o = held([whole]);
    const told = listening(o);
    await settle();
    const write = (batch: number, data: number) =>
      at(batch, { type: 'data-part', messageId: 'm', name: 'progress', data });
    o.bring([write(2, 1), CALLED, ANSWERED, write(5, 2)], '0_5');
    expect(told).toEqual([
      ['m', 1],
      ['m', 't1', 'input-available'],
      ['m', 't1', 'output-available'],
      ['m', 2],
    ]);
  });

  it('is not told again by a connection that repeats it, nor by a conversation that is read again (TCLI-11)', async () => {
    const called = {
      type: 'dynamic-tool' as const,
      toolName: 'hold',
      toolCallId: 't1',
      input: { a: 1 },
      inputValid: true,
    };
    const answered = { ...called, state: 'output-available' as const, output: 'done' };
    const o = held([whole, { ...whole, offset: '0_4', messages: [OLD, { ...MESSAGE, parts: [answered] }] }]);
    const told = listening(o);
    await settle();
    o.bring([CALLED], '0_3');
    o.connections[0]!.fail(new Error('cut off'));
    await settle();
    await o.pass(1000);
    o.bring([CALLED]);
    expect(told).toEqual([['m', 't1', 'input-available']]);
    o.connections.at(-1)!.fail(refused(416));
    await settle();
    await o.pass(1000);
    o.bring([ANSWERED]);
    expect(told).toEqual([
      ['m', 't1', 'input-available'],
      ['m', 't1', 'output-available'],
    ]);
  });

  it('of a conversation that was not there is news from its first part on (TCLI-11)', async () => {
    const o = held([refused(404), whole]);
    const told = listening(o);
    await settle();
    o.observation.contacted();
    await settle();
    expect(told).toEqual([['old', 't0', 'output-available']]);
  });
});
