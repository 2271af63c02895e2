import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createModelGateway } from '../adapters/models/create-model-gateway.ts';
import { installScript } from '../adapters/offline/script-source.ts';
import type { ModelEnd, ModelEvent, ModelMessage, ModelRequest } from '../ports/model-gateway.ts';
import { fakeClock } from './fake-clock.ts';
import { scriptModel } from './script-model.ts';

const settings = { retries: 3, retryBaseMs: 2000, idleTimeoutMs: 300_000, requestTimeoutMs: 600_000 };

afterEach(() => installScript(undefined));

function gateway(
  o: { env?: Record<string, string>; clock?: ReturnType<typeof fakeClock>; idleTimeoutMs?: number } = {},
) {
  return createModelGateway({
    env: o.env ?? {},
    clock: o.clock ?? fakeClock(),
    settings: { ...settings, idleTimeoutMs: o.idleTimeoutMs ?? settings.idleTimeoutMs },
  });
}

function request(o: Partial<ModelRequest> & { user?: string } = {}): ModelRequest {
  const { user = 'hello', ...rest } = o;
  return {
    specifier: 'offline/script',
    system: 'Be kind.',
    messages: [{ role: 'user', content: [{ type: 'text', text: user }] }],
    tools: [],
    thinkingLevel: 'medium',
    sessionId: 'conv_1',
    purpose: 'agent',
    ...rest,
  };
}

async function play(
  from = gateway(),
  o: Partial<ModelRequest> & { user?: string } = {},
  signal = new AbortController().signal,
) {
  const events: ModelEvent[] = [];
  for await (const event of from.stream(request(o), signal)) events.push(event);
  return { events, end: events.at(-1) as ModelEnd, deltas: events.slice(0, -1) };
}

describe('scriptModel', () => {
  it('streams thinking, text and calls in that order, in pieces of 16 characters, twice the same (SCR-02, SCR-03)', async () => {
    const step = {
      thinking: 'I should look it up.',
      text: 'Looking up your order now.',
      toolCalls: [{ name: 'lookup', arguments: { id: 'ORD-1042' } }],
    };
    scriptModel({ steps: [step] });
    const first = await play();
    scriptModel({ steps: [step] });
    const second = await play();

    expect(first.deltas).toEqual([
      { type: 'thinking', block: 0, delta: 'I should look it' },
      { type: 'thinking', block: 0, delta: ' up.' },
      { type: 'text', block: 1, delta: 'Looking up your ' },
      { type: 'text', block: 1, delta: 'order now.' },
      { type: 'call', block: 2, id: 'call_0_0', tool: 'lookup', delta: '{"id":"ORD-1042"' },
      { type: 'call', block: 2, id: 'call_0_0', tool: 'lookup', delta: '}' },
    ]);
    expect(first.end).toMatchObject({
      model: { provider: 'offline', id: 'script', api: 'offline' },
      stop: 'toolUse',
      content: [
        { type: 'thinking', text: 'I should look it up.' },
        { type: 'text', text: 'Looking up your order now.' },
        { type: 'call', id: 'call_0_0', tool: 'lookup', args: '{"id":"ORD-1042"}' },
      ],
    });
    expect(second).toEqual(first);
  });

  it('passes string arguments on as they are, JSON or not (SCR-03)', async () => {
    scriptModel({ steps: [{ toolCalls: [{ name: 'lookup', arguments: '{"id":' }], stopReason: 'length' }] });
    const { end } = await play();
    expect(end).toMatchObject({ stop: 'length', content: [{ type: 'call', args: '{"id":' }] });
  });

  it('reports usage as given and prices it by the step, else by the model (SCR-04, USAGE-01)', async () => {
    const cost = { input: 2, output: 10, cacheRead: 0, cacheWrite: 0 };
    scriptModel({
      steps: [
        { text: 'a', usage: { input: 1_000_000, output: 500_000, totalTokens: 7 } },
        { text: 'b', usage: { input: 5, cost: { total: 3 } } },
        { text: 'c' },
      ],
      model: { cost },
    });
    const models = gateway();
    expect((await play(models)).end.usage).toEqual({
      input: 1_000_000,
      output: 500_000,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 7,
      cost: { input: 2, output: 5, cacheRead: 0, cacheWrite: 0, total: 7 },
    });
    expect((await play(models)).end.usage).toMatchObject({ input: 5, totalTokens: 5, cost: { total: 3 } });
    expect((await play(models)).end.usage).toMatchObject({ input: 0, totalTokens: 0, cost: { total: 0 } });
    expect(await models.resolve('offline/script')).toMatchObject({
      cost,
      contextWindow: 128_000,
      source: 'offline',
    });
  });

  it('fails before any output, or after so many characters, transiently unless told otherwise (SCR-05)', async () => {
    scriptModel({
      steps: [
        { text: 'never shown', error: {} },
        {
          text: 'Twenty characters, no more',
          error: { afterChars: 20, transient: false, message: 'no credit' },
        },
      ],
    });
    const models = gateway();
    const first = await play(models);
    expect(first.deltas).toEqual([]);
    expect(first.end).toMatchObject({
      stop: 'error',
      content: [],
      fault: { class: 'transient', message: '503 service unavailable (scripted)' },
    });
    expect((await play(models)).end).toMatchObject({
      stop: 'error',
      content: [{ type: 'text', text: 'Twenty characters, n' }],
      fault: { class: 'terminal', message: 'no credit' },
    });
  });

  it('waits before the first event, between deltas and after the first, and an abort ends each wait (SCR-06)', async () => {
    const clock = fakeClock();
    const waits = [
      { step: { text: ['a', 'b', 'c'], delayMs: 50 }, until: 49, seen: [] },
      { step: { text: ['a', 'b', 'c'], chunkDelayMs: 50 }, until: 99, seen: ['a', 'b'] },
      { step: { text: ['a', 'b', 'c'], stallMs: 50 }, until: 49, seen: ['a'] },
    ];
    for (const { step, until, seen } of waits) {
      scriptModel({ steps: [step] });
      const control = new AbortController();
      const done = play(gateway({ clock }), {}, control.signal);
      await clock.advance(until);
      control.abort();
      const { deltas, end } = await done;
      expect(deltas.map((event) => 'delta' in event && event.delta)).toEqual(seen);
      expect(end).toMatchObject({ stop: 'aborted' });
      expect(clock.pending).toBe(0);
    }
  });

  it('is one queue by default, and one cursor per conversation on request (SCR-07)', async () => {
    const steps = [{ text: 'one' }, { text: 'two' }];
    const text = async (from: ReturnType<typeof gateway>, sessionId: string) =>
      (await play(from, { sessionId })).end.content
        .map((block) => block.type === 'text' && block.text)
        .join('');
    scriptModel({ steps });
    const shared = gateway();
    expect([await text(shared, 'a'), await text(shared, 'b')]).toEqual(['one', 'two']);

    const script = scriptModel({ steps, scope: 'conversation' });
    const apart = gateway();
    expect([await text(apart, 'a'), await text(apart, 'b'), await text(apart, 'a')]).toEqual([
      'one',
      'one',
      'two',
    ]);
    expect(script.remaining).toBe(1);
  });

  it('starts again with the first step when it loops', async () => {
    scriptModel({ steps: [{ text: 'only' }], loop: true });
    const models = gateway();
    await play(models);
    expect((await play(models)).end).toMatchObject({ stop: 'stop', content: [{ text: 'only' }] });
  });

  it('a request that is not the expected one, or one too many, fails terminally and says both (SCR-08)', async () => {
    const result: ModelMessage = { role: 'tool', call: 'c', tool: 'lookup', isError: false, content: [] };
    scriptModel({
      steps: [{ when: { user: /refund/i, tool: 'lookup', agent: 'orders', purpose: 'agent' }, text: 'ok' }],
    });
    const models = gateway();
    const wrong = await play(models, { agent: 'orders', user: 'hello there' });
    expect(wrong.end).toMatchObject({ stop: 'error', fault: { class: 'terminal' } });
    expect(wrong.end.fault?.message).toMatch(/step 0 expected a user text matching \/refund\/i.*hello there/);

    const user: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'A Refund please' }] };
    const right = await play(models, { agent: 'orders', messages: [user, result] });
    expect(right.end).toMatchObject({ stop: 'stop' });

    const tooMany = await play(models);
    expect(tooMany.end.fault).toMatchObject({ class: 'terminal' });
    expect(tooMany.end.fault?.message).toMatch(/has 1 steps.*one more/);
  });

  it('shows what it was asked, what is left, and takes more (SCR-09)', async () => {
    const script = scriptModel({ steps: [{ text: 'a' }, { text: 'b' }] });
    const models = gateway();
    await play(models, { user: 'first', agent: 'orders' });
    expect(script.requests).toMatchObject([
      {
        model: 'offline/script',
        systemPrompt: 'Be kind.',
        messages: [{ role: 'user', content: [{ text: 'first' }] }],
        tools: [],
        options: { thinkingLevel: 'medium', sessionId: 'conv_1', purpose: 'agent', agent: 'orders' },
      },
    ]);
    expect(script.remaining).toBe(1);
    expect(() => script.assertDone()).toThrow('1 steps were never asked for');
    script.append([{ text: 'c' }]);
    expect(script.remaining).toBe(2);
    await play(models);
    await play(models);
    script.assertDone();
    script.reset();
    expect([script.remaining, script.requests.length]).toEqual([3, 0]);
  });

  it('refuses an invalid step with its index and field (SCR-01)', () => {
    expect(() => scriptModel({ steps: [{ text: 'a' }, { delayMs: -1 }] })).toThrow(/step 1, field `delayMs`/);
    expect(() => scriptModel({ steps: [{ txt: 'a' } as object] })).toThrow(/step 0: unknown field `txt`/);
    expect(() => scriptModel({ steps: [], scop: 1 } as never)).toThrow(/unknown field `scop`/);
    const script = scriptModel({ steps: [] });
    expect(() => script.append([{ stopReason: 'done' as never }])).toThrow(/step 0, field `stopReason`/);
  });

  it('plays the JSON file or the module that FLUE_SCRIPT names, unless a script is installed (SCR-01)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flue-script-'));
    const file = (name: string, text: string) =>
      writeFile(join(folder, name), text).then(() => join(folder, name));
    const said = async (path: string) =>
      (await play(gateway({ env: { FLUE_SCRIPT: path } }), { user: 'Ann' })).end;

    const list = await file('list.json', '[{ "text": "from a list" }]');
    expect(await said(list)).toMatchObject({ content: [{ text: 'from a list' }] });
    const object = await file('object.json', '{ "steps": [{ "text": "from an object" }] }');
    expect(await said(object)).toMatchObject({ content: [{ text: 'from an object' }] });
    const module = await file(
      'step.mjs',
      'export default (request) => ({ text: `Hello ${request.messages.at(-1).content[0].text}` });',
    );
    expect(await said(module)).toMatchObject({ content: [{ text: 'Hello Ann' }] });

    const broken = await file('broken.json', '[{ "text": "a" }, { "text": 3 }]');
    expect((await said(broken)).fault).toMatchObject({ class: 'terminal' });
    expect((await said(broken)).fault?.message).toMatch(
      /FLUE_SCRIPT \(.*broken\.json\), step 1, field `text`/,
    );

    scriptModel({ steps: [{ text: 'installed' }] });
    expect(await said(list)).toMatchObject({ content: [{ text: 'installed' }] });
  });

  it('without any script the model exists and a call fails terminally with the remedy', async () => {
    expect(await gateway().resolve('offline/script')).toMatchObject({ id: 'script', source: 'offline' });
    expect((await play()).end.fault?.message).toMatch(/Call scriptModel\(\).*or set FLUE_SCRIPT/);
  });
});

describe('every response of the gateway', () => {
  it('that stays silent for the idle timeout is aborted and transient (RETRY-07)', async () => {
    const clock = fakeClock();
    scriptModel({ steps: [{ text: ['a', 'b'], stallMs: 5000 }] });
    const done = play(gateway({ clock, idleTimeoutMs: 1000 }));
    await clock.advance(999);
    await clock.advance(1);
    const { end } = await done;
    expect(end).toMatchObject({
      stop: 'error',
      content: [{ text: 'a' }],
      fault: { class: 'transient', reason: 'idle_timeout' },
    });
    expect(clock.pending).toBe(0);
  });

  it('is not cut while events keep coming, and 0 disables the idle timeout (RETRY-06, RETRY-07)', async () => {
    const clock = fakeClock();
    scriptModel({ steps: [{ text: ['a', 'b', 'c', 'd'], chunkDelayMs: 900 }] });
    const slow = play(gateway({ clock, idleTimeoutMs: 1000 }));
    await clock.advance(3000);
    expect((await slow).end).toMatchObject({ stop: 'stop', content: [{ text: 'abcd' }] });

    scriptModel({ steps: [{ text: ['a', 'b'], stallMs: 1_000_000 }] });
    const endless = play(gateway({ clock, idleTimeoutMs: 0 }));
    await clock.advance(1_000_000);
    expect((await endless).end).toMatchObject({ stop: 'stop' });
  });

  it('aborted by the other side is transient, toolUse without a call is stop (TURN-12)', async () => {
    scriptModel({
      steps: [
        { text: 'half', stopReason: 'aborted' },
        { text: 'whole', stopReason: 'toolUse' },
      ],
    });
    const models = gateway();
    expect((await play(models)).end).toMatchObject({ stop: 'error', fault: { class: 'transient' } });
    expect((await play(models)).end).toMatchObject({ stop: 'stop' });
  });

  it('that was cut or failed holds no call, because it never ran (RCD-10)', async () => {
    const clock = fakeClock();
    scriptModel({
      steps: [
        { text: 'a', toolCalls: [{ name: 'lookup', arguments: { id: 'ORD-1042' } }], chunkDelayMs: 10 },
      ],
    });
    const control = new AbortController();
    const done = play(gateway({ clock }), {}, control.signal);
    await clock.advance(15);
    control.abort();
    expect((await done).end).toMatchObject({ stop: 'aborted', content: [{ type: 'text', text: 'a' }] });
  });

  it('aborted before it starts asks nothing of the model', async () => {
    const script = scriptModel({ steps: [{ text: 'a' }] });
    const { events } = await play(gateway(), {}, AbortSignal.abort());
    expect(events).toMatchObject([{ type: 'end', stop: 'aborted', content: [] }]);
    expect(script.requests).toEqual([]);
  });
});
