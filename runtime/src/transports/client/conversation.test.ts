import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentRunError } from '../../app/agent-run-error.ts';
import { init } from '../../app/init.ts';
import type { ScriptStep } from '../../testing/script-model.ts';
import { MOUNT, Orders, type Served, serve } from '../http/served-agent.fixture.ts';
import type { AgentContract } from './agent-contract.ts';
import { createConnect } from './connect.ts';
import type { AgentAccessor } from './contract.ts';
import { inProcess } from './in-process.ts';

/** What callers see must not depend on how the instance is reached (TCLI-14). */

interface Any extends AgentContract {
  identity: string;
  initialData: unknown;
  data: Record<string, unknown>;
  tools: Record<string, { input: unknown; output: unknown }>;
}
interface Agents {
  readonly Orders: AgentAccessor<Any>;
  readonly Ticket: AgentAccessor<Any>;
  readonly Missing: AgentAccessor<Any>;
}

const connect = createConnect<Agents, 'Orders' | 'Ticket'>({
  Orders: { identity: 'Orders', path: MOUNT },
  Ticket: { identity: 'Ticket', path: '/agents/tickets/' },
  Missing: { identity: 'Missing' },
});

let served: Served;
beforeAll(async () => {
  served = await serve(({ messages }): ScriptStep => {
    const last = JSON.stringify(messages.at(-1));
    if (!last.includes('hold on')) return { text: 'Done.' };
    return { toolCalls: [{ name: 'hold', arguments: { orderId: '7' } }] };
  });
});
afterAll(() => served.stop());

const transports: Record<string, () => Pick<Agents, 'Orders' | 'Ticket'>> = {
  'in process': () => connect(inProcess()),
  'over HTTP': () =>
    connect({
      baseUrl: 'http://flue.test/',
      retry: false,
      fetch: async (url, init) => served.app.fetch(new Request(url, init)),
    }),
};

describe.each(Object.entries(transports))('a conversation %s', (name, open) => {
  const id = (text: string) => `${text} ${name}/é`;

  it('sends, and reads the reply by receipt or by id at any later time (CLNT-05, CLNT-07)', async () => {
    const orders = open().Orders.at(id('read'));
    const receipt = await orders.send('Hello');
    expect(receipt).toMatchObject({ submissionId: expect.stringMatching(/^sub_|^[\w-]+$/) });
    expect(Number.isNaN(Date.parse(receipt.acceptedAt))).toBe(false);
    const reply = await orders.read(receipt);
    expect(reply).toMatchObject({ text: 'Done.', data: {}, submissionId: receipt.submissionId });
    expect(reply.uid).toBe(receipt.uid);
    expect(await open().Orders.at(id('read')).read(receipt.submissionId)).toEqual(reply);
    expect(await orders.wait(receipt)).toBeUndefined();
  });

  it('dispatches and tells every recorded chunk once, in order, to the settlement (CLNT-08, CLNT-09)', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const told: { type: string; place: number[] }[] = [];
    const reply = await open()
      .Orders.at(id('events'))
      .dispatch(
        { message: { kind: 'user', body: 'Hello' } },
        {
          onEvent: async (chunk) => {
            if (chunk.type === 'log') return;
            const { type, position } = chunk;
            told.push({ type, place: [position.batch, position.index] });
            if (type === 'message-completed') throw new Error('not the business of the read');
          },
        },
      );
    expect(reply.text).toBe('Done.');
    expect(told.map(({ type }) => type)).toEqual([...CHUNKS]);
    const places = told.map(({ place: [batch = 0, index = 0] }) => batch * 1000 + index);
    expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
  });

  it('aborts, and the reply rejects as aborted (TCLI-14)', async () => {
    const orders = open().Orders.at(id('abort'));
    const { submissionId } = await orders.send('hold on');
    expect(await orders.abort({ submissionId })).toEqual({ aborted: true });
    const failure = await orders.read(submissionId).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentRunError);
    expect(failure).toMatchObject({
      outcome: 'aborted',
      submissionId,
      cause: { type: 'submission_aborted' },
    });
    expect(await orders.abort()).toEqual({ aborted: false });
  });

  it('stops the work when the signal of a dispatch fires after the send (CLNT-09)', async () => {
    const stop = new AbortController();
    const running = open()
      .Orders.at(id('signal'))
      .dispatch('hold on', {
        signal: stop.signal,
        onEvent: ({ type }) => {
          if (type === 'tool-input') stop.abort();
        },
      });
    await expect(running).rejects.toMatchObject({ outcome: 'aborted' });
  });

  it('ends a read with the reason of its signal and leaves the work running (CLNT-09)', async () => {
    const orders = open().Orders.at(id('leave'));
    const { submissionId } = await orders.send('hold on');
    const stop = new AbortController();
    const reading = orders.read(submissionId, { signal: stop.signal });
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(reading).rejects.toBe(reason);
    expect(await orders.abort()).toEqual({ aborted: true });
    const sent = orders.send('x', { signal: AbortSignal.abort(reason) });
    await expect(sent).rejects.toBe(reason);
  });

  it('shows the history, whole and page by page, and the bytes of its files (CLNT-10, HIST-12)', async () => {
    const orders = open().Orders.at(id('history'));
    await expect(orders.history()).rejects.toMatchObject({ type: 'stream_not_found', status: 404 });
    const image = { type: 'image', mimeType: 'image/png', data: 'AQID', filename: 'a.png' } as const;
    await orders.dispatch({ message: { kind: 'user', body: 'one', attachments: [image] } });
    await orders.dispatch('two');
    const whole = await orders.history();
    expect(whole.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    const file = whole.messages[0]!.parts.find((part) => part.type === 'file')!;
    expect(await orders.attachment(file.id!)).toEqual({
      bytes: new Uint8Array([1, 2, 3]),
      mimeType: 'image/png',
    });
    expect(file.url).toBe(
      name === 'over HTTP'
        ? `http://flue.test${MOUNT}/${encodeURIComponent(id('history'))}/attachments/${file.id}`
        : undefined,
    );
    const newest = await orders.history({ limit: 2 });
    expect(newest.messages).toEqual(whole.messages.slice(2));
    const older = await orders.history({ limit: 2, before: newest.window!.previousCursor! });
    expect(older.messages).toEqual(whole.messages.slice(0, 2));
    await expect(orders.history({ before: newest.window!.previousCursor! })).rejects.toMatchObject({
      type: 'invalid_request',
    });
    await expect(orders.attachment('')).rejects.toThrow(TypeError);
  });

  it('is waited for while it does not exist, and read from its first message on once another made it (PC-055, OBSV-10)', async () => {
    const observation = open().Orders.at(id('later')).observe();
    const reached = (wanted: () => boolean) =>
      new Promise<void>((resolve) => {
        observation.subscribe(() => void (wanted() && resolve()));
      });
    const phase = () => observation.getSnapshot().phase;
    await reached(() => phase() === 'absent');
    // Not a failure, and asking again does not make it one.
    observation.refresh();
    await reached(() => phase() === 'absent');
    expect(observation.getSnapshot().error).toBeUndefined();
    const reply = await init(Orders, { id: id('later') }).dispatch('Hello');
    observation.refresh();
    await reached(() => observation.getSnapshot().conversation?.settlements.length === 1);
    const { conversation } = observation.getSnapshot();
    expect(conversation?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(conversation?.settlements).toMatchObject([{ submissionId: reply.submissionId }]);
    observation.close();
  });

  it('is observed from before its first message on, each state of a tool told once (OBSV-01, OBSV-10, TCLI-11)', async () => {
    const orders = open().Orders.at(id('observed'));
    const observation = orders.observe();
    const phases: string[] = [];
    const states: string[] = [];
    const reached = (wanted: () => boolean) =>
      new Promise<void>((resolve) => {
        observation.subscribe(() => void (wanted() && resolve()));
      });
    observation.subscribe(() => {
      const { phase } = observation.getSnapshot();
      if (phases.at(-1) !== phase) phases.push(phase);
    });
    const called = new Promise<void>((resolve) => {
      observation.onTool('hold', ({ state }, { role }) => {
        states.push(`${role} ${state}`);
        resolve();
      });
    });
    await reached(() => observation.getSnapshot().phase === 'absent');
    const settled = reached(() => observation.getSnapshot().conversation?.settlements.length === 1);
    const { submissionId } = await orders.send('hold on');
    await called;
    await orders.abort({ submissionId });
    await settled;
    const { conversation, offset } = observation.getSnapshot();
    expect(conversation).toEqual({ ...(await orders.history()), offset });
    expect(phases).toEqual(['absent', 'connecting', 'live']);
    expect(states).toEqual(['assistant input-available', 'assistant output-error']);
    observation.close();
    expect(observation.getSnapshot().phase).toBe('closed');
  });

  it('shows older pages on demand (OBSV-01, HIST-12)', async () => {
    const orders = open().Orders.at(id('older'));
    await orders.dispatch('one');
    await orders.dispatch('two');
    const observation = orders.observe({ limit: 1, live: 'long-poll' });
    const first = new Promise<void>((resolve) => {
      observation.subscribe(() => void (observation.getSnapshot().phase === 'live' && resolve()));
    });
    await first;
    expect(observation.getSnapshot().conversation?.messages).toHaveLength(1);
    await observation.loadOlder();
    await observation.loadOlder();
    await observation.loadOlder();
    await observation.loadOlder();
    const { messages } = await orders.history();
    expect(observation.getSnapshot().conversation?.messages).toEqual(messages);
    expect(observation.getSnapshot().conversation?.window).toEqual({ hasMore: false });
    observation.close();
  });

  it('refuses a string uid with initialData before anything is sent (CLNT-05)', async () => {
    const ticket = open().Ticket.at(id('never'));
    const both = { message: 'x', uid: 'one', initialData: { owner: 'a' } };
    await expect(ticket.send(both as never)).rejects.toThrow(TypeError);
    const pinned = open().Ticket.at(id('never'), { uid: 'one' });
    await expect(pinned.send({ message: 'x', initialData: 1 } as never)).rejects.toThrow(TypeError);
    await expect(ticket.send('x')).rejects.toMatchObject({ type: 'invalid_request' });
  });

  it('pins the incarnation of its first contact and drops what would create another (TCLI-14)', async () => {
    const ticket = open().Ticket.at(id('pinned'));
    const created = { message: 'x', uid: null, initialData: { owner: 'ada' } } as const;
    const [first, second] = await Promise.all([
      ticket.send(created),
      ticket.send({ message: 'y', initialData: { owner: 'bob' } }),
    ]);
    expect(second.uid).toBe(first.uid);
    await ticket.read(second);
    const again = await open().Ticket.at(id('pinned'), { uid: first.uid! }).dispatch('z');
    expect(again.uid).toBe(first.uid);
    const other = open().Ticket.at(id('pinned'), { uid: 'other' });
    await expect(other.send('z')).rejects.toMatchObject({ type: 'agent_instance_not_found' });
  });

  it('admits a keyed send once (CLNT-06, TCLI-14)', async () => {
    const orders = open().Orders.at(id('keyed'));
    const first = await orders.send({ message: 'x', idempotencyKey: `one ${name}` });
    const again = await orders.send({ message: 'x', idempotencyKey: `one ${name}` });
    expect(again).toMatchObject({ submissionId: first.submissionId, deduplicated: true });
    await expect(orders.send({ message: 'y', idempotencyKey: `one ${name}` })).rejects.toMatchObject({
      type: 'submission_conflict',
    });
  });

  it('gives the same error type for what the server does not know (TCLI-14)', async () => {
    const orders = open().Orders.at(id('known'));
    await expect(orders.read('sub_x')).rejects.toMatchObject({ type: 'agent_instance_not_found' });
    await expect(orders.abort()).rejects.toMatchObject({ type: 'agent_instance_not_found' });
    await orders.dispatch('x');
    await expect(orders.read('sub_x')).rejects.toMatchObject({ type: 'submission_not_found' });
    await expect(orders.read('')).rejects.toThrow(TypeError);
    const blank = { message: { kind: 'user', body: 7 } } as never;
    await expect(orders.send(blank)).rejects.toMatchObject({ type: 'invalid_request' });
  });

  it('refuses a receipt of another conversation (CLNT-07)', async () => {
    const receipt = await open().Orders.at(id('mine')).send('x');
    await expect(open().Orders.at(id('other')).read(receipt)).rejects.toThrow();
    const { at } = open().Orders;
    expect(() => at(' ')).toThrow(TypeError);
  });

  it('mints a new address for a fresh conversation (TCLI-04)', async () => {
    const [one, two] = [open().Orders.fresh(), open().Orders.fresh()];
    expect(one.id).toMatch(/^instance_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(two.id).not.toBe(one.id);
    expect(one.identity).toBe('Orders');
    expect((await one.dispatch('x')).text).toBe('Done.');
  });
});

const CHUNKS = [
  'submission-state',
  'message-started',
  'message-delta',
  'message-completed',
  'submission-settled',
] as const;

describe('connect()', () => {
  it('holds only agents whose mount is known or given (TCLI-05)', () => {
    expect(Object.keys(connect({ baseUrl: 'http://flue.test' }))).toEqual(['Orders', 'Ticket']);
    const given = connect({ baseUrl: 'http://flue.test', mounts: { Missing: '/agents/missing' } });
    expect(given.Missing.identity).toBe('Missing');
    expect(() => connect({ baseUrl: 'http://flue.test', mounts: { Other: '/x' } as never })).toThrow(
      TypeError,
    );
  });

  it('in process holds all; one that is not registered rejects as dispatch() does (TCLI-05, DSP-03)', async () => {
    const { Missing } = connect(inProcess());
    await expect(Missing.at('x').send('x')).rejects.toThrow(/"Missing" is not registered/);
  });

  it('refuses a base URL that is relative here, invalid, or has a query or fragment (CLNT-02)', () => {
    for (const baseUrl of ['/api', 'no url', 'http://x.test/?a=1', 'http://x.test/#a', 'http://x.test?']) {
      expect(() => connect({ baseUrl })).toThrow(TypeError);
    }
  });
});
