import { afterEach, describe, expect, it } from 'vitest';
import type { ConversationRecord, RecordOf, RecordType } from '../conversation/records/index.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import type { SubmissionStatus } from '../ports/store.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { scriptModel } from '../testing/script-model.ts';
import { currentRuntime } from './current.ts';
import { dispatch } from './dispatch.ts';
import { init } from './init.ts';
import { startTest, type TestRuntime, temporaryFile, until } from './runtime.test.support.ts';

let flue: TestRuntime;
const files: { remove(): void }[] = [];
afterEach(async () => {
  await flue?.stop();
  for (const file of files.splice(0)) file.remove();
});

function Plain() {
  useModel('offline/script');
}

const ofType = <T extends RecordType>(records: ConversationRecord[], type: T) =>
  records.filter((record): record is RecordOf<T> => record.type === type);
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: { outcome: string; cause: { type: string; meta: Record<string, unknown> } }) => error,
  );
const rowOf = (submissionId: string) => currentRuntime()!.store.submission(submissionId);

/** An agent whose one tool calls `run`. */
function toolAgent(run: () => unknown) {
  function Worker() {
    useModel('offline/script');
    useTool({ name: 'work', description: 'Works.', run });
  }
  return Worker;
}
const callWork = { toolCalls: [{ name: 'work', arguments: {} }] };

describe('an accepted submission', () => {
  it('is durable before any model work begins (SUB-01, RCD-41)', async () => {
    const file = temporaryFile();
    files.push(file);
    const clock = fakeClock();
    let seen: Promise<unknown> | undefined;
    scriptModel({
      steps: () => {
        seen ??= readElsewhere();
        return { text: 'ok' };
      },
    });
    async function readElsewhere() {
      const other = file.adapter(clock);
      const store = await other.connect();
      const row = (await store.load('agents/Plain/a'))?.rows[0];
      await other.close?.();
      return row;
    }
    flue = await startTest({ agents: [Plain], db: file.adapter(clock), clock });
    const reply = await init(Plain, { id: 'a' }).dispatch('x');
    expect(await seen).toMatchObject({ submissionId: reply.submissionId, status: 'running', attempts: 1 });
  });

  it('is queued, running, joined or settled, and nothing else (SUB-04)', async () => {
    const seen: SubmissionStatus[] = [];
    const look = async (id: string) => seen.push((await rowOf(id))!.status);
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    let entered = false;
    const Worker = toolAgent(async () => {
      entered = true;
      await opened;
    });
    scriptModel({ steps: [callWork, { text: 'both', stallMs: 1000 }] });
    flue = await startTest({ agents: [Worker] });
    const host = await dispatch(Worker, { id: 'a', message: 'one' });
    await until(() => entered);
    const guest = await dispatch(Worker, { id: 'a', message: 'two' });
    await look(guest.dispatchId);
    await look(host.dispatchId);
    open();
    await until(async () => (await rowOf(guest.dispatchId))?.status === 'joined');
    await look(guest.dispatchId);
    await flue.during(init(Worker, { id: 'a' }).read(guest));
    await look(guest.dispatchId);
    await look(host.dispatchId);
    expect(seen).toEqual(['queued', 'running', 'joined', 'settled', 'settled']);
  });

  it('takes its budget and its time from the static of an agent that nothing mounts (BUD-01, PC-023)', async () => {
    const Hanging = Object.assign(
      function Hanging() {
        useModel('offline/script');
      },
      { durability: { maxAttempts: 1, timeoutMs: 1000 } },
    );
    scriptModel({ steps: () => ({ text: 'never', delayMs: 3_600_000 }) });
    flue = await startTest({ agents: [Hanging], execution: { settleGraceMs: 400 } });
    const receipt = await dispatch(Hanging, { id: 'a', message: 'x' });
    expect(await rowOf(receipt.dispatchId)).toMatchObject({ maxAttempts: 1, timeoutMs: 1000 });
    const failure = await flue.during(failureOf(init(Hanging, { id: 'a' }).read(receipt)));
    expect(failure).toMatchObject({ outcome: 'failed', cause: { type: 'submission_timeout' } });
    expect(flue.clock.now()).toBeLessThanOrEqual(1600);
    expect((await rowOf(receipt.dispatchId))?.attempts).toBeLessThanOrEqual(2);
  });
});

describe('joining', () => {
  it("ends at four fifths of the host's time: what comes later runs alone (JOI-07)", async () => {
    const Worker = Object.assign(
      toolAgent(() => currentRuntime()!.clock.sleep(8000)),
      { durability: { timeoutMs: 10_000 } },
    );
    scriptModel({ steps: [callWork, { text: 'First.' }, { text: 'Second.' }] });
    flue = await startTest({ agents: [Worker] });
    const first = init(Worker, { id: 'a' }).dispatch('one');
    await until(async () => ofType(await flue.records('Worker', 'a'), 'assistant_message').length === 1);
    const second = await dispatch(Worker, { id: 'a', message: 'two' });
    const replies = await flue.during(Promise.all([first, init(Worker, { id: 'a' }).read(second)]));
    expect(replies.map((reply) => reply.text)).toEqual(['First.', 'Second.']);
    expect(await rowOf(second.dispatchId)).toMatchObject({ attempts: 1 });
    expect((await rowOf(second.dispatchId))?.host).toBeUndefined();
  });

  it('is still possible a moment earlier (JOI-07)', async () => {
    const Worker = Object.assign(
      toolAgent(() => currentRuntime()!.clock.sleep(7800)),
      { durability: { timeoutMs: 10_000 } },
    );
    scriptModel({ steps: [callWork, { text: 'Both.' }] });
    flue = await startTest({ agents: [Worker] });
    const first = init(Worker, { id: 'a' }).dispatch('one');
    await until(async () => ofType(await flue.records('Worker', 'a'), 'assistant_message').length === 1);
    const second = init(Worker, { id: 'a' }).dispatch('two');
    const replies = await flue.during(Promise.all([first, second]), 50);
    expect(replies.map((reply) => reply.text)).toEqual(['Both.', 'Both.']);
  });

  it('takes what a tool of the boundary sends at the next one, and once (JOI-09)', async () => {
    const Worker = toolAgent(async () => {
      await dispatch(Worker, { id: 'a', message: 'from inside', idempotencyKey: 'k' });
      await dispatch(Worker, { id: 'a', message: 'from inside', idempotencyKey: 'k' });
    });
    const script = scriptModel({ steps: [callWork, { text: 'Both.' }] });
    flue = await startTest({ agents: [Worker] });
    await init(Worker, { id: 'a' }).dispatch('one');
    const records = await flue.records('Worker', 'a');
    const order = records.flatMap((record) => {
      if (record.type === 'call_settled') return ['call'];
      if (record.type === 'user_message') return [record.body];
      return record.type === 'submission_moved' ? [record.to] : [];
    });
    expect(order).toEqual(['one', 'running', 'from inside', 'call', 'joined']);
    const inside = script.requests[1]!.messages.filter((message) =>
      JSON.stringify(message.content).includes('from inside'),
    );
    expect(inside).toHaveLength(1);
    expect(ofType(records, 'submission_settled')).toHaveLength(2);
  });
});

describe('an abort', () => {
  it('in the middle of a tool batch keeps what is done, closes the rest, and the next message works (TBR-04, FLT-12)', async () => {
    const state = { waiting: 0 };
    function Pair() {
      useModel('offline/script');
      useTool({ name: 'quick', description: 'Is quick.', run: () => 'done' });
      useTool({
        name: 'slow',
        description: 'Never ends.',
        run: () => {
          state.waiting += 1;
          return new Promise(() => {});
        },
      });
    }
    const toolCalls = ['quick', 'slow'].map((name) => ({ name, arguments: {} }));
    const script = scriptModel({ steps: [{ toolCalls }, { text: 'Next.' }] });
    flue = await startTest({ agents: [Pair] });
    const failure = failureOf(init(Pair, { id: 'a' }).dispatch('x'));
    await until(
      async () => state.waiting === 1 && ofType(await flue.records('Pair', 'a'), 'call_settled').length === 1,
    );
    await init(Pair, { id: 'a' }).abort();
    expect(await failure).toMatchObject({ outcome: 'aborted', cause: { type: 'submission_aborted' } });
    const settled = ofType(await flue.records('Pair', 'a'), 'call_settled');
    expect(settled.map(({ tool, status, interrupted }) => [tool, status, interrupted])).toEqual([
      ['quick', 'ok', undefined],
      ['slow', 'error', true],
    ]);
    expect((await init(Pair, { id: 'a' }).dispatch('y')).text).toBe('Next.');
    const results = script.requests[1]!.messages.filter((message) => message.role === 'tool');
    expect(results).toHaveLength(2);
  });
});

describe('a failed response', () => {
  it('gives those that joined it the same error, under the same reference (SET-05, JOI-06, SUB-03)', async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    let entered = false;
    const Worker = toolAgent(async () => {
      entered = true;
      await opened;
    });
    scriptModel({ steps: [callWork, { error: { message: 'no such model', transient: false } }] });
    flue = await startTest({ agents: [Worker] });
    const host = await dispatch(Worker, { id: 'a', message: 'one' });
    await until(() => entered);
    const guest = await dispatch(Worker, { id: 'a', message: 'two' });
    open();
    const read = ({ dispatchId }: { dispatchId: string }) =>
      failureOf(init(Worker, { id: 'a' }).read(dispatchId));
    const [one, two] = await flue.during(Promise.all([read(host), read(guest)]));
    expect(one!.cause).toMatchObject({
      type: 'operation_failed',
      meta: { ref: expect.stringMatching(/^err_/) },
    });
    expect(two!.cause).toEqual(one!.cause);
    const rows = await Promise.all([rowOf(host.dispatchId), rowOf(guest.dispatchId)]);
    const records = ofType(await flue.records('Worker', 'a'), 'submission_settled');
    expect(rows.map((row) => [row?.outcome, row?.error])).toEqual(
      records.map(({ outcome, error }) => [outcome, error]),
    );
  });
});

describe('bad input', () => {
  it('is refused before anything durable happens, whoever gives it (ERR-11, ERR-10, MSG-03)', async () => {
    const real = temporaryFile();
    files.push(real);
    const clock = fakeClock();
    const adapter = real.adapter(clock);
    const writes: string[] = [];
    flue = await startTest({
      agents: [Plain],
      clock,
      db: {
        ...adapter,
        async connect() {
          const store = await adapter.connect();
          const told =
            (name: 'admit' | 'abort' | 'commit') =>
            async (...args: unknown[]) => {
              writes.push(name);
              return (store[name] as (...args: unknown[]) => Promise<never>)(...args);
            };
          return { ...store, admit: told('admit'), abort: told('abort'), commit: told('commit') };
        },
      },
    });
    const typed: [string, () => Promise<unknown>][] = [
      ['invalid_request', () => dispatch('Plain' as never, { id: 'a', message: 'x' })],
      ['invalid_request', () => dispatch(Plain, { id: 'a', message: { kind: 'user' } as never })],
      [
        'invalid_request',
        () => dispatch(Plain, { id: 'a', message: 'x', uid: 'u', initialData: 1 } as never),
      ],
      ['invalid_request', () => dispatch(Plain, { id: 'a', message: 'x', idempotencyKey: '' })],
      ['invalid_request', () => dispatch(Plain, { id: 'x'.repeat(1025), message: 'x' })],
      ['invalid_request', () => init(Plain, { id: 'a' }).dispatch({ message: 'x', uid: 'u' } as never)],
      ['invalid_request', () => init(Plain, { id: 'a' }).dispatch({} as never)],
      ['agent_instance_not_found', () => init(Plain, { id: 'a' }).abort()],
    ];
    for (const [type, call] of typed) await expect(call()).rejects.toMatchObject({ type });
    const plain: [RegExp, () => unknown][] = [
      [/"id"|id/, () => dispatch(Plain, { id: ' ', message: 'x' })],
      [/Unknown/, () => dispatch(function Unknown() {}, { id: 'a', message: 'x' })],
    ];
    for (const [names, call] of plain) {
      const error = (await Promise.resolve()
        .then(call)
        .catch((e: unknown) => e)) as Error;
      expect(Object.getPrototypeOf(error)).toBe(Error.prototype);
      expect(error.message).toMatch(/^\[flue\] /);
      expect(error.message).toMatch(names);
    }
    expect(writes).toEqual([]);
    expect(await currentRuntime()!.store.load('agents/Plain/a')).toBeNull();
  });
});

describe('recovery', () => {
  it('gives a stream that does not fold its outcome, logs it once, and still serves it (REC-13, SUB-03)', async () => {
    const file = temporaryFile();
    files.push(file);
    const clock = fakeClock();
    scriptModel({ steps: () => ({ text: 'fine' }) });
    flue = await startTest({ agents: [Plain], db: file.adapter(clock), clock });
    await init(Plain, { id: 'a' }).dispatch('one');
    await flue.stop();
    await writeNonsense();

    flue = await startTest({ agents: [Plain], db: file.adapter(clock), clock });
    const failure = await flue.during(failureOf(init(Plain, { id: 'a' }).dispatch('two')));
    expect(failure).toMatchObject({
      outcome: 'failed',
      cause: { type: 'conversation_record_invariant', meta: { recordType: 'call_settled' } },
    });
    expect(
      flue.log.filter(
        (line) =>
          line.includes('conversation_record_invariant') || line.includes('ConversationRecordInvariantError'),
      ),
    ).toHaveLength(1);
    const { store } = currentRuntime()!;
    const { batches } = await store.read('agents/Plain/a', { limit: 1000 });
    expect(batches.some((batch) => batch.records.some((record) => record.includes('call_settled')))).toBe(
      true,
    );
    expect((await store.load('agents/Plain/a'))?.rows).toEqual([]);
    expect((await flue.during(init(Plain, { id: 'b' }).dispatch('three'))).text).toBe('fine');

    /** A record that says something impossible, as a fault of an engine would leave it. */
    async function writeNonsense(): Promise<void> {
      const adapter = file.adapter(clock);
      const other = await adapter.connect();
      await other.beat({ ownerId: 'own_x', runtimeStart: 0, agents: ['Plain'] }, { leaseMs: 1000 });
      await other.admit({
        path: 'agents/Plain/a',
        submissionId: 'sub_x',
        kind: 'dispatch',
        payload: '{}',
        digest: 'd',
        acceptedAt: new Date(0).toISOString(),
        maxAttempts: 1,
        timeoutMs: 1000,
        accepted: JSON.stringify({
          v: 1,
          type: 'user_message',
          ts: new Date(0).toISOString(),
          submissionId: 'sub_x',
          body: 'x',
          acceptedAt: new Date(0).toISOString(),
        }),
      });
      const claims = await other.claim('own_x', {
        agents: ['Plain'],
        limit: 1,
        dead: [],
        alive: [],
        hungOwnerMs: 1,
      });
      const settled = { submissionId: 'sub_x', to: 'settled', outcome: 'completed' } as const;
      const nonsense = JSON.stringify({
        v: 1,
        type: 'call_settled',
        ts: new Date(0).toISOString(),
        submissionId: 'sub_x',
        turn: 9,
        call: 'c',
        tool: 't',
        status: 'ok',
        output: 1,
      });
      await other.commit(
        { path: 'agents/Plain/a', ownerId: 'own_x', epoch: claims[0]!.epoch },
        { seq: 1, class: 'durable', records: [nonsense], rows: [settled] },
      );
      await adapter.close?.();
    }
  });

  it('runs no code of the application for what is already decided, however broken it is now (REC-03, REC-04, FLT-01)', async () => {
    const file = temporaryFile();
    files.push(file);
    const clock = fakeClock();
    let renders = 0;
    function Broken() {
      renders += 1;
      throw new Error('the deploy broke it');
    }
    function Once() {
      useModel('offline/script');
    }
    Once.durability = { maxAttempts: 1 };
    scriptModel({ steps: () => ({ text: 'x', delayMs: 3_600_000 }) });
    flue = await startTest({ agents: [Once], db: file.adapter(clock), clock });
    const receipt = await dispatch(Once, { id: 'a', message: 'x' });
    await until(async () => ofType(await flue.records('Once', 'a'), 'submission_moved').length === 1);
    await killed();

    flue = await startTest({ agents: [{ agent: Broken, name: 'Once' }], db: file.adapter(clock), clock });
    const failure = await flue.during(failureOf(init(Broken, { id: 'a' }).read(receipt)));
    expect(failure).toMatchObject({
      outcome: 'failed',
      cause: { type: 'submission_retry_exhausted', meta: { attemptCount: 1, maxAttempts: 1 } },
    });
    expect(renders).toBe(0);

    /** The owner is gone without a word: its row says so, its work is as it was. */
    async function killed(): Promise<void> {
      const { store } = currentRuntime()!;
      const { instance } = (await store.load('agents/Once/a'))!;
      const adapter = file.adapter(clock);
      const other = await adapter.connect();
      await other.beat(
        { ownerId: 'own_judge', runtimeStart: 0, agents: [] },
        { leaseMs: 1000, retire: [{ ownerId: instance.ownerId! }] },
      );
      await adapter.close?.();
      await flue.during(flue.stop({ timeoutMs: 100 }));
    }
  });
});

describe('a settled delivery', () => {
  it('keeps its key for the life of the instance, over restarts too (RET-01, DSP-11, DSP-12)', async () => {
    const file = temporaryFile();
    files.push(file);
    const clock = fakeClock();
    const script = scriptModel({ steps: () => ({ text: 'ok' }) });
    flue = await startTest({ agents: [Plain], db: file.adapter(clock), clock });
    const keyed = { id: 'a', message: 'x'.repeat(10_000), idempotencyKey: 'k' };
    const first = await dispatch(Plain, keyed);
    await init(Plain, { id: 'a' }).read(first);
    for (let n = 0; n < 3; n++) await init(Plain, { id: 'a' }).dispatch('more');
    await flue.stop();

    flue = await startTest({ agents: [Plain], db: file.adapter(clock), clock });
    expect(await dispatch(Plain, keyed)).toEqual({ ...first, deduplicated: true });
    await expect(dispatch(Plain, { ...keyed, message: 'y' })).rejects.toMatchObject({
      type: 'submission_conflict',
      meta: { submissionId: first.dispatchId },
    });
    expect(script.requests).toHaveLength(4);
  });
});

describe('streamed output', () => {
  it('leaves no delta behind, and little more than its content (FLT-19, STR-11, PC-075)', async () => {
    const pieces = Array.from({ length: 50 }, (_, index) => `${index} and so on. `.repeat(20));
    scriptModel({ steps: [{ text: pieces, chunkDelayMs: 60 }] });
    flue = await startTest({ agents: [Plain] });
    const drafts: number[] = [];
    const { store } = currentRuntime()!;
    const reply = await flue.during(
      init(Plain, { id: 'a' }).dispatch('x', {
        onEvent: async () => {
          const { batches } = await store.read('agents/Plain/a', { limit: 1000 });
          drafts.push(batches.filter((batch) => batch.class === 'draft').length);
        },
      }),
      20,
    );
    expect(Math.max(...drafts)).toBeGreaterThan(10);
    const { batches } = await store.read('agents/Plain/a', { limit: 1000 });
    expect(batches.filter((batch) => batch.class === 'draft')).toEqual([]);
    const own = batches
      .flatMap(({ records }) => records)
      .filter((record) => !/"type":"(conversation_opened|user_message|resources_recorded)"/.test(record));
    const bytes = own.reduce((sum, record) => sum + Buffer.byteLength(record), 0);
    expect(reply.text).toBe(pieces.join(''));
    expect(bytes).toBeLessThanOrEqual(1.3 * Buffer.byteLength(reply.text) + 2048);
  });

  it('is shown to nobody before it is durable, and durable soon after it came (STC-05, STR-08, HND-09)', async () => {
    scriptModel({ steps: [{ text: ['one ', 'two ', 'three'], chunkDelayMs: 200 }] });
    flue = await startTest({ agents: [Plain] });
    const { store } = currentRuntime()!;
    const lag: number[] = [];
    let shown = '';
    const reply = init(Plain, { id: 'a' }).dispatch('x', {
      onEvent: async (chunk) => {
        if (chunk.type !== 'message-delta') return;
        shown += chunk.delta;
        const { batches } = await store.read('agents/Plain/a', { limit: 1000 });
        const drafted = batches
          .flatMap((batch) => batch.records.map((record) => JSON.parse(record) as ConversationRecord))
          .map((record) => (record.type === 'assistant_delta' ? record.delta : ''))
          .join('');
        const complete = batches.some((batch) =>
          batch.records.some((record) => record.includes('assistant_message')),
        );
        if (!complete) lag.push(drafted.length - shown.length);
      },
    });
    await flue.during(reply, 10);
    expect(shown).toBe('one two three');
    expect(lag.length).toBeGreaterThan(0);
    expect(lag.filter((behind) => behind < 0)).toEqual([]);
  });
});
