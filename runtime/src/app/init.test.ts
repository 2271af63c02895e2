import * as v from 'valibot';
import { afterEach, describe, expect, it } from 'vitest';
import type { LiveChunk } from '../conversation/projections/chunk.ts';
import { OperationFailedError } from '../engine/errors.ts';
import { useDataWriter } from '../engine/hooks/use-data-writer.ts';
import { useInstruction } from '../engine/hooks/use-instruction.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { usePersistentState } from '../engine/hooks/use-persistent-state.ts';
import { useResponseStart } from '../engine/hooks/use-response-start.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { OwnershipLostError } from '../ports/store-errors.ts';
import { SubmissionAbortedError } from '../submissions/errors.ts';
import { scriptModel } from '../testing/script-model.ts';
import { admission } from '../testing/store-contract/givens.ts';
import { AgentRunError } from './agent-run-error.ts';
import { currentRuntime } from './current.ts';
import { dispatch } from './dispatch.ts';
import { AgentInstanceNotFoundError, SubmissionNotFoundError } from './errors.ts';
import { init } from './init.ts';
import { startTest, type TestRuntime, turns, until } from './runtime.test.support.ts';

function Echo() {
  useModel('offline/script');
  return 'Echo.';
}

function refuse(): never {
  throw new Error('No reading.');
}

let flue: TestRuntime;
afterEach(() => flue?.stop());

describe('the handle of an instance', () => {
  it('resolves with the settled reply and its own submission id (HND-06, HND-18, DSP-09)', async () => {
    scriptModel({ steps: [{ text: 'Hello.' }] });
    flue = await startTest({ agents: [Echo] });
    const reply = await init(Echo, { id: 'a' }).dispatch('hi');
    expect(reply).toMatchObject({ text: 'Hello.', data: {}, uid: expect.stringMatching(/^inst_/) });
    expect(reply.submissionId).toMatch(/^sub_/);
  });

  it('touches nothing until a method is called, and mints one id (HND-01, HND-02)', async () => {
    const handle = init(Echo);
    const { id } = handle;
    expect(id).toMatch(/^instance_[0-9A-Z]{26}$/);
    expect(handle.id).toBe(id);
    expect(() => init(Echo, { id: ' ' })).toThrow(/non-empty string/);
    expect(() => init('Echo' as never)).toThrow(expect.objectContaining({ type: 'invalid_request' }));
  });

  it('refuses a payload without message, and one that carries id or uid (HND-03)', async () => {
    flue = await startTest({ agents: [Echo] });
    const handle = init(Echo, { id: 'a' });
    await expect(handle.dispatch({} as never)).rejects.toThrow(
      expect.objectContaining({ type: 'invalid_request' }),
    );
    await expect(handle.dispatch({ message: 'x', uid: 'inst_1' } as never)).rejects.toMatchObject({
      details: expect.stringContaining('init(agent, { id, uid })'),
    });
  });

  it('conditions the first contact only and pins what it contacted (HND-04, HND-05)', async () => {
    scriptModel({ steps: [{ text: '1' }, { text: '2' }] });
    flue = await startTest({ agents: [Echo] });
    const handle = init(Echo, { id: 'a', uid: null });
    const [first, second] = await Promise.all([handle.dispatch('one'), handle.dispatch('two')]);
    expect(second.uid).toBe(first.uid);
    await expect(init(Echo, { id: 'a', uid: null }).dispatch('x')).rejects.toMatchObject({ uid: first.uid });
    const bodies = (await flue.records('Echo', 'a')).flatMap((r) =>
      r.type === 'user_message' ? [r.body] : [],
    );
    expect(bodies).toEqual(['one', 'two']);
  });

  it('rejects with the settlement of failed work, rebuilt as its class (HND-08, HND-19)', async () => {
    scriptModel({ steps: [{ error: { message: 'invalid api key', transient: false } }] });
    flue = await startTest({ agents: [Echo] });
    const failure = await init(Echo, { id: 'a' })
      .dispatch('x')
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentRunError);
    expect(failure).toMatchObject({ outcome: 'failed', submissionId: expect.stringMatching(/^sub_/) });
    const { cause } = failure as AgentRunError;
    expect(cause).toBeInstanceOf(OperationFailedError);
    expect(cause).toMatchObject({
      type: 'operation_failed',
      meta: { category: 'provider', ref: expect.any(String) },
    });
    expect(flue.log.join('')).toContain((cause as OperationFailedError).meta!.ref as string);
  });

  it('keeps the process alive while it waits for the work of another one (HND-13)', async () => {
    flue = await startTest({ agents: [Echo] });
    const { store } = currentRuntime()!;
    const reading = new AbortController();
    await store.admit(admission({ path: 'agents/Echo/a', submissionId: 'sub_elsewhere' }));
    expect(flue.holdsProcess).toBe(false);
    const read = init(Echo, { id: 'a' }).read('sub_elsewhere', { signal: reading.signal });
    await turns(5);
    expect(flue.holdsProcess).toBe(true);
    reading.abort(new Error('enough'));
    await expect(read).rejects.toThrow('enough');
    expect(flue.holdsProcess).toBe(false);

    init(Echo, { id: 'a' })
      .read('sub_elsewhere')
      .catch(() => {});
    await turns(5);
    await flue.stop();
    expect(flue.holdsProcess).toBe(false);
  });

  it('reads a settled reply again by receipt or id, and the same each time (HND-13, FLT-16)', async () => {
    scriptModel({ steps: [{ text: 'Once.' }] });
    flue = await startTest({ agents: [Echo] });
    const receipt = await dispatch(Echo, { id: 'a', message: 'x' });
    const handle = init(Echo, { id: 'a' });
    const reply = await handle.read(receipt);
    expect(reply.text).toBe('Once.');
    expect(await handle.read(receipt.dispatchId)).toEqual(reply);
  });

  it('gives each caller a reply of his own, so that one may change it (HND-18)', async () => {
    scriptModel({ loop: true, steps: [{ text: 'Noted.' }] });
    function Noting() {
      useModel('offline/script');
      const note = useDataWriter('note');
      useResponseStart(() => {
        note({ tags: ['new'] });
        return { desk: { room: 7 } };
      });
    }
    flue = await startTest({ agents: [Noting] });
    const handle = init(Noting, { id: 'a' });
    const send = { message: 'hi', idempotencyKey: 'once' };
    const [one, other] = await Promise.all([handle.dispatch(send), handle.dispatch(send)]);
    expect(one).toEqual(other);
    (one.data.note as { tags: string[] }[])[0]!.tags.push('changed');
    (one.metadata!.desk as { room: number }).room = 8;
    expect(other).toMatchObject({ data: { note: [{ tags: ['new'] }] }, metadata: { desk: { room: 7 } } });
    expect(await handle.read(one.submissionId)).toEqual(other);
  });

  it('knows what was never there: instance, submission (HND-14)', async () => {
    scriptModel({ steps: [{ text: 'x' }] });
    flue = await startTest({ agents: [Echo] });
    await expect(init(Echo, { id: 'none' }).read('sub_x')).rejects.toBeInstanceOf(AgentInstanceNotFoundError);
    await init(Echo, { id: 'a' }).dispatch('x');
    await expect(init(Echo, { id: 'a' }).read('sub_x')).rejects.toBeInstanceOf(SubmissionNotFoundError);
  });

  it('tells every recorded chunk once and in order, and survives a throwing listener (HND-09)', async () => {
    scriptModel({ steps: [{ text: 'Hello.' }] });
    flue = await startTest({ agents: [Echo] });
    const chunks: LiveChunk[] = [];
    const reply = await init(Echo, { id: 'a' }).dispatch('x', {
      onEvent(chunk) {
        chunks.push(chunk);
        throw new Error('listener');
      },
    });
    expect(reply.text).toBe('Hello.');
    expect(chunks.map((chunk) => chunk.type)).toEqual([
      'submission-state',
      'message-started',
      'message-delta',
      'message-completed',
      'submission-settled',
    ]);
    expect(flue.log.join('')).toContain('listener');
  });

  it('turns a fired signal into a durable abort and rejects with that settlement (HND-10, ABT-03, ABT-04)', async () => {
    let stopped = false;
    function Slow() {
      useModel('offline/script');
      useTool({
        name: 'wait',
        description: 'Waits.',
        run: ({ signal }) =>
          new Promise((_, reject) =>
            signal!.addEventListener('abort', () => {
              stopped = true;
              reject(signal!.reason);
            }),
          ),
      });
    }
    const script = scriptModel({ steps: [{ toolCalls: [{ name: 'wait', arguments: {} }] }] });
    flue = await startTest({ agents: [Slow] });
    const controller = new AbortController();
    const reply = init(Slow, { id: 'a' }).dispatch('x', { signal: controller.signal });
    await until(() => script.requests.length === 1);
    await until(async () =>
      (await flue.records('Slow', 'a')).some((record) => record.type === 'assistant_message'),
    );
    controller.abort();
    const failure = await reply.catch((error: unknown) => error);
    expect(failure).toMatchObject({ outcome: 'aborted', cause: expect.any(SubmissionAbortedError) });
    expect(stopped).toBe(true);
    // TBR-04: the open call is closed as interrupted in the settlement's commit.
    const records = await flue.records('Slow', 'a');
    expect(records.find((record) => record.type === 'call_settled')).toMatchObject({
      interrupted: true,
      status: 'error',
    });
    await expect(init(Slow, { id: 'a' }).dispatch('x', { signal: AbortSignal.abort() })).rejects.toThrow(
      /abort/i,
    );
  });

  it('refuses an awaited send from a tool to its own instance instead of waiting for itself (HND-12)', async () => {
    function Self() {
      useModel('offline/script');
      useTool({
        name: 'ask',
        description: 'Asks itself.',
        run: async () => (await init(Self, { id: 'a' }).dispatch('again')).text,
      });
    }
    scriptModel({ steps: [{ toolCalls: [{ name: 'ask', arguments: {} }] }, { text: 'done' }] });
    flue = await startTest({ agents: [Self] });
    expect((await init(Self, { id: 'a' }).dispatch('x')).text).toBe('done');
    const result = (await flue.records('Self', 'a')).find((record) => record.type === 'call_settled');
    expect(JSON.stringify(result)).toContain('cannot answer before it ends');
  });

  it('aborts an idle instance to no effect and an absent one not at all (HND-17, ABT-08)', async () => {
    scriptModel({ steps: [{ text: 'x' }] });
    flue = await startTest({ agents: [Echo] });
    await expect(init(Echo, { id: 'a' }).abort()).rejects.toBeInstanceOf(AgentInstanceNotFoundError);
    await init(Echo, { id: 'a' }).dispatch('x');
    expect(await init(Echo, { id: 'a' }).abort()).toEqual({ aborted: false });
    await expect(init(Echo, { id: 'a' }).abort({ submissionId: 'sub_x' })).rejects.toBeInstanceOf(
      SubmissionNotFoundError,
    );
  });
});

describe('an agent in its conversation', () => {
  it('reads state that a tool wrote at the very next render, instructions joined by blank lines (AGENT-05, STATE-07, STATE-08)', async () => {
    function Gate() {
      useModel('offline/script');
      const [open, setOpen] = usePersistentState('open', false);
      if (open) useInstruction('The gate is open.');
      useTool({
        name: 'open_gate',
        description: 'Opens.',
        input: v.object({ code: v.string() }),
        run: () => setOpen(true),
      });
      return 'Guard the gate.';
    }
    const script = scriptModel({
      steps: [{ toolCalls: [{ name: 'open_gate', arguments: { code: '1' } }] }, { text: 'ok' }],
    });
    flue = await startTest({ agents: [Gate] });
    await init(Gate, { id: 'a' }).dispatch('open');
    expect(script.requests[0]!.systemPrompt).toMatch(/^Guard the gate\.\n\nThere are no agents/);
    expect(script.requests[1]!.systemPrompt).toMatch(
      /^Guard the gate\.\n\nThe gate is open\.\n\nThere are no agents/,
    );
    const records = await flue.records('Gate', 'a');
    expect(records.find((record) => record.type === 'state_written')).toMatchObject({
      name: 'open',
      value: true,
      n: 1,
    });
  });

  it('settles a throwing render as failed without spending attempts, and the next message works (AGENT-12, SUB-07, REC-07)', async () => {
    let broken = true;
    function Fragile() {
      useModel('offline/script');
      if (broken) throw new Error('secret detail');
      return 'ok';
    }
    scriptModel({ steps: [{ text: 'fine' }] });
    flue = await startTest({ agents: [Fragile] });
    const failure = (await init(Fragile, { id: 'a' })
      .dispatch('x')
      .catch((error: unknown) => error)) as AgentRunError;
    expect(failure.cause).toMatchObject({
      type: 'operation_failed',
      meta: { category: 'render', agent: 'Fragile' },
    });
    expect(JSON.stringify(await flue.records('Fragile', 'a'))).not.toContain('secret detail');
    expect(flue.log.join('')).toContain('secret detail');
    broken = false;
    expect((await init(Fragile, { id: 'a' }).dispatch('y')).text).toBe('fine');
  });

  it.each([
    ['an object without a prototype', () => Object.create(null)],
    ['an error that cannot be read', () => Object.defineProperty(new Error(), 'message', { get: refuse })],
    ['a proxy', () => new Proxy({}, { get: refuse, getPrototypeOf: refuse })],
    ['a frozen failure', () => Object.freeze(new OperationFailedError({ operation: 'turn', reason: 'x' }))],
    ['a failure of a store', () => new OwnershipLostError({ path: 'agents/Other/b', epoch: 1 })],
  ])('settles a render that throws %s in its first attempt (AGENT-12, OBS-04)', async (_, thrown) => {
    function Hostile() {
      useModel('offline/script');
      throw thrown();
    }
    flue = await startTest({ agents: [Hostile] });
    const outcome = init(Hostile, { id: 'a' }).dispatch('x');
    await expect(outcome).rejects.toMatchObject({
      cause: { type: 'operation_failed', meta: { category: 'render', agent: 'Hostile' } },
    });
  });

  it('needs a model, says which agent lacks it and names the rule that finds it ahead of time (MODEL-01, ERR-12)', async () => {
    function Bare() {}
    flue = await startTest({ agents: [Bare] });
    const failure = (await init(Bare, { id: 'a' })
      .dispatch('x')
      .catch((error: unknown) => error)) as AgentRunError;
    expect(failure.cause).toMatchObject({
      type: 'operation_failed',
      meta: { agent: 'Bare', rule: 'FLUE2101' },
    });
    expect(flue.log.join('')).toContain(
      "requires a model. Call useModel('provider-id/model-id') in the agent function.",
    );
  });

  it('names an unknown provider before any request and keeps the message for a later send (SPEC-04, SPEC-06)', async () => {
    let model = 'anthropik/claude';
    function Typo() {
      useModel(model);
    }
    const script = scriptModel({ steps: [{ text: 'now' }] });
    flue = await startTest({ agents: [Typo] });
    const failure = (await init(Typo, { id: 'a' })
      .dispatch('first')
      .catch((error: unknown) => error)) as AgentRunError;
    expect(failure.cause).toMatchObject({ type: 'unknown_provider' });
    model = 'offline/script';
    await init(Typo, { id: 'a' }).dispatch('second');
    const texts = JSON.stringify(script.requests[0]!.messages);
    expect(texts).toContain('first');
    expect(texts).toContain('second');
  });
});
