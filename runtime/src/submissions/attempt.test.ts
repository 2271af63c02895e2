import * as v from 'valibot';
import { afterEach, describe, expect, it } from 'vitest';
import { currentRuntime } from '../app/current.ts';
import { dispatch } from '../app/dispatch.ts';
import { init } from '../app/init.ts';
import { startTest, type TestRuntime, temporaryFile, turns, until } from '../app/runtime.test.support.ts';
import type { ConversationRecord, RecordOf, RecordType } from '../conversation/records/index.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { usePersistentState } from '../engine/hooks/use-persistent-state.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { defineTool } from '../engine/tools/define-tool.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { scriptModel } from '../testing/script-model.ts';

let flue: TestRuntime;
const files: { remove(): void }[] = [];
afterEach(async () => {
  await flue?.stop();
  for (const file of files.splice(0)) file.remove();
});

function Plain() {
  useModel('offline/script');
}

/** A tool that answers when the test opens the gate. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const state = { calls: 0 };
  const tool = defineTool({
    name: 'wait',
    description: 'Waits.',
    async run() {
      state.calls += 1;
      await opened;
      return 'waited';
    },
  });
  function Waiter() {
    useModel('offline/script');
    useTool(tool);
  }
  return { open: () => open(), state, Waiter };
}

const callWait = { toolCalls: [{ name: 'wait', arguments: {} }] };
const ofType = <T extends RecordType>(records: ConversationRecord[], type: T) =>
  records.filter((record): record is RecordOf<T> => record.type === type);
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: { outcome: string; cause: { type: string; meta: Record<string, unknown> } }) => error,
  );

describe('one reply with one tool call', () => {
  it('is six write transactions and the batches of the contract (RCD-40, RCD-42)', async () => {
    const tool = defineTool({ name: 'look', description: 'Looks.', run: () => ({ eta: 'Friday' }) });
    function Looker() {
      useModel('offline/script');
      useTool(tool);
    }
    scriptModel({
      steps: [{ text: 'Let me look.', toolCalls: [{ name: 'look', arguments: {} }] }, { text: 'Friday.' }],
    });
    flue = await startTest({ agents: [Looker] });
    await init(Looker, { id: 'a' }).dispatch('When?');
    const { batches } = await currentRuntime()!.store.read('agents/Looker/a', {});
    const types = batches.map((batch) =>
      batch.records.map((body) => (JSON.parse(body) as ConversationRecord).type),
    );
    // With `claim`, which writes no batch, these are the six.
    expect(types).toEqual([
      ['conversation_opened', 'user_message'],
      ['submission_moved', 'seam_closed', 'resources_recorded'],
      ['assistant_message'],
      ['call_settled'],
      ['assistant_message', 'submission_settled'],
    ]);
  });
});

describe('a delivery to a busy instance', () => {
  it('joins at the next boundary and gets the coalesced reply with its own id (JOI-01, JOI-04, JOI-06, HND-07)', async () => {
    const { open, state, Waiter } = gate();
    const script = scriptModel({ steps: [callWait, { text: 'Both.' }] });
    flue = await startTest({ agents: [Waiter] });
    const first = init(Waiter, { id: 'a' }).dispatch('one');
    await until(() => state.calls === 1);
    const second = init(Waiter, { id: 'a' }).dispatch('two');
    await until(async () => ofType(await flue.records('Waiter', 'a'), 'user_message').length === 2);
    open();
    const [one, two] = await Promise.all([first, second]);
    expect([one.text, two.text]).toEqual(['Both.', 'Both.']);
    expect(two.submissionId).not.toBe(one.submissionId);
    const records = await flue.records('Waiter', 'a');
    expect(ofType(records, 'submission_settled')).toMatchObject([
      { submissionId: one.submissionId, outcome: 'completed' },
      { submissionId: two.submissionId, outcome: 'completed', answeredBySubmissionId: one.submissionId },
    ]);
    expect(script.requests[1]!.messages.at(-1)).toMatchObject({ role: 'user', content: [{ text: 'two' }] });
    const rows = await currentRuntime()!.store.submission(two.submissionId);
    expect(rows).toMatchObject({ attempts: 0, status: 'settled', host: one.submissionId });
  });

  it('is taken when the model would stop, before the response settles (JOI-02)', async () => {
    scriptModel({ steps: [{ text: 'First.', stallMs: 1000 }, { text: 'Second.' }] });
    flue = await startTest({ agents: [Plain] });
    const first = init(Plain, { id: 'a' }).dispatch('one');
    await until(async () => ofType(await flue.records('Plain', 'a'), 'submission_moved').length === 1);
    const second = init(Plain, { id: 'a' }).dispatch('two');
    await until(async () => ofType(await flue.records('Plain', 'a'), 'user_message').length === 2);
    const replies = await flue.during(Promise.all([first, second]));
    expect(replies.map((reply) => reply.text)).toEqual(['Second.', 'Second.']);
  });

  it('keeps admission order across instances of one id and never mixes them (QUE-01, QUE-03)', async () => {
    function Other() {
      useModel('offline/script');
    }
    scriptModel({ steps: () => ({ text: 'ok' }) });
    flue = await startTest({ agents: [Plain, Other] });
    await Promise.all([
      ...['1', '2', '3'].map((message) => init(Plain, { id: 'a' }).dispatch(message)),
      init(Other, { id: 'a' }).dispatch('other'),
    ]);
    const bodies = (identity: string) =>
      flue.records(identity, 'a').then((all) => ofType(all, 'user_message').map((r) => r.body));
    expect(await bodies('Plain')).toEqual(['1', '2', '3']);
    expect(await bodies('Other')).toEqual(['other']);
  });
});

describe('a failing model', () => {
  it('is called again after a growing wait while the failure is transient (RETRY-02, RETRY-03, RETRY-04, FLT-14)', async () => {
    const script = scriptModel({
      steps: [{ error: {} }, { text: 'par', error: { afterChars: 3 } }, { text: 'Fine.' }],
    });
    flue = await startTest({ agents: [Plain] });
    const began = flue.clock.now();
    const reply = await flue.during(init(Plain, { id: 'a' }).dispatch('x'));
    expect(reply.text).toBe('Fine.');
    // 2 s and 4 s, each times 0.75 to 1
    expect(flue.clock.now() - began).toBeGreaterThanOrEqual(4500);
    expect(script.requests[2]!.messages).toHaveLength(1);
    const stops = ofType(await flue.records('Plain', 'a'), 'assistant_message').map((record) => record.stop);
    expect(stops).toEqual(['error', 'error', 'stop']);
  });

  it('fails the submission with the number of tries once the budget is spent (RETRY-02, TURN-13, CLS-04, FLT-10)', async () => {
    scriptModel({ steps: () => ({ error: { message: '503 service unavailable' } }) });
    flue = await startTest({ agents: [Plain], model: { retries: 2, retryBaseMs: 10 } });
    const failure = await flue.during(failureOf(init(Plain, { id: 'a' }).dispatch('x')));
    expect(failure!.cause).toMatchObject({
      type: 'operation_failed',
      meta: { category: 'provider', provider: 'offline', model: 'script', retryable: true, attempts: 3 },
    });
    expect(ofType(await flue.records('Plain', 'a'), 'assistant_message')).toHaveLength(3);
  });

  it('runs a call that the output limit cut never, and goes on (REC-11, TCALL-17, TURN-12, FLT-11)', async () => {
    const runs: string[] = [];
    const tool = defineTool({
      name: 'note',
      description: 'Notes.',
      input: v.object({ text: v.string() }),
      run: ({ data }) => void runs.push(data.text),
    });
    function Noter() {
      useModel('offline/script');
      useTool(tool);
    }
    const steps = [
      {
        toolCalls: [
          { name: 'note', arguments: { text: 'whole' } },
          { name: 'note', arguments: '{"text":"cut o' },
        ],
        stopReason: 'length' as const,
      },
      { text: 'Done.' },
    ];
    const script = scriptModel({ steps });
    flue = await startTest({ agents: [Noter] });
    expect((await init(Noter, { id: 'a' }).dispatch('x')).text).toBe('Done.');
    expect(runs).toEqual(['whole']);
    const cut = script.requests[1]!.messages.at(-1)!;
    expect(cut).toMatchObject({ role: 'tool', isError: true });
    expect(JSON.stringify(cut)).toContain('cut off by the output limit');
  });
});

describe('a tool batch', () => {
  it('runs in parallel, records each result as it comes and shows them in call order (TBR-02, TBR-03, TCALL-10, TURN-05, TURN-06)', async () => {
    const release: Record<string, () => void> = {};
    const tool = defineTool({
      name: 'fetch_part',
      description: 'Fetches.',
      input: v.object({ part: v.string() }),
      run: ({ data }) =>
        new Promise<string>((resolve) => {
          release[data.part] = () => resolve(data.part);
        }),
    });
    function Fetcher() {
      useModel('offline/script');
      useTool(tool);
    }
    const calls = ['a', 'b'].map((part) => ({ name: 'fetch_part', arguments: { part } }));
    const script = scriptModel({ steps: [{ toolCalls: calls }, { text: 'ok' }] });
    flue = await startTest({ agents: [Fetcher] });
    const reply = init(Fetcher, { id: 'i' }).dispatch('x');
    await until(() => Object.keys(release).length === 2);
    release.b!();
    await until(async () => ofType(await flue.records('Fetcher', 'i'), 'call_settled').length === 1);
    release.a!();
    await reply;
    expect(ofType(await flue.records('Fetcher', 'i'), 'call_settled').map((record) => record.output)).toEqual(
      ['b', 'a'],
    );
    const results = script.requests[1]!.messages.filter((message) => message.role === 'tool');
    expect(results.map((result) => JSON.stringify(result.content))).toEqual([
      expect.stringContaining('a'),
      expect.stringContaining('b'),
    ]);
  });

  it('makes the platform warn of no leak when many calls listen to the signal (TURN-05)', async () => {
    const warnings: string[] = [];
    const collect = ({ name }: Error) => warnings.push(name);
    process.on('warning', collect);
    const { Waiter, state, open } = gate();
    scriptModel({ steps: [{ toolCalls: Array(16).fill(callWait.toolCalls[0]) }, { text: 'ok' }] });
    flue = await startTest({ agents: [Waiter] });
    const reply = init(Waiter, { id: 'i' }).dispatch('x');
    await until(() => state.calls === 16);
    open();
    await reply;
    process.off('warning', collect);
    expect(warnings).toEqual([]);
  });

  it('runs one call at a time when a called tool asks for it (TURN-05, TOOL-05)', async () => {
    let active = 0;
    let most = 0;
    const tool = defineTool({
      name: 'lock',
      description: 'Locks.',
      parallel: false,
      async run() {
        most = Math.max(most, ++active);
        await turns(2);
        active -= 1;
      },
    });
    function Locker() {
      useModel('offline/script');
      useTool(tool);
    }
    const calls = [1, 2, 3].map(() => ({ name: 'lock', arguments: {} }));
    scriptModel({ steps: [{ toolCalls: calls }, { text: 'ok' }] });
    flue = await startTest({ agents: [Locker] });
    await init(Locker, { id: 'a' }).dispatch('x');
    expect(most).toBe(1);
  });

  it('answers an unknown tool and bad arguments with an error result, and runs nothing (TURN-08, TCALL-03, TCALL-16)', async () => {
    let runs = 0;
    const tool = defineTool({
      name: 'lookup_order',
      description: 'Looks.',
      input: v.object({ orderId: v.string() }),
      run: () => {
        runs += 1;
      },
    });
    function Looker() {
      useModel('offline/script');
      useTool(tool);
    }
    const toolCalls = [
      { name: 'lookup-order', arguments: {} },
      { name: 'lookup_order', arguments: { orderId: 7 } },
      { name: 'lookup_order', arguments: '{"orderId":' },
    ];
    const script = scriptModel({ steps: [{ toolCalls }, { text: 'ok' }] });
    flue = await startTest({ agents: [Looker] });
    await init(Looker, { id: 'a' }).dispatch('x');
    const results = script.requests[1]!.messages.filter((message) => message.role === 'tool').map((result) =>
      JSON.stringify(result),
    );
    expect(results[0]).toContain('Did you mean \\"lookup_order\\"?');
    expect(results[1]).toContain('orderId');
    expect(results[2]).toContain('valid JSON');
    expect(results.every((result) => result.includes('"isError":true'))).toBe(true);
    expect(runs).toBe(0);
  });

  it('applies writes of two calls through one buffer, so neither is lost (STATE-05, STATE-08)', async () => {
    function Counter() {
      useModel('offline/script');
      const [count, setCount] = usePersistentState('count', 0);
      useTool({ name: 'add', description: 'Adds.', run: () => setCount((n) => n + 1) });
      return `Count: ${count}`;
    }
    const toolCalls = [1, 2, 3].map(() => ({ name: 'add', arguments: {} }));
    const script = scriptModel({ steps: [{ toolCalls }, { text: 'ok' }] });
    flue = await startTest({ agents: [Counter] });
    await init(Counter, { id: 'a' }).dispatch('x');
    expect(script.requests[1]!.systemPrompt).toMatch(/^Count: 3/);
  });
});

describe('the deadline', () => {
  it('is checked before every turn (BUD-05, STATIC-05)', async () => {
    const { open, state, Waiter } = gate();
    Object.assign(Waiter, { durability: { timeoutMs: 1000 } });
    scriptModel({ steps: [callWait, { text: 'too late' }] });
    flue = await startTest({ agents: [Waiter] });
    const failure = failureOf(init(Waiter, { id: 'a' }).dispatch('x'));
    await until(() => state.calls === 1);
    await flue.clock.advance(1100);
    open();
    expect((await failure)!.cause).toMatchObject({ type: 'submission_timeout', meta: { timeoutMs: 1000 } });
  });

  it('ends work that hangs within the grace, and the instance takes the next message (BUD-06, FLT-07, PC-023, PC-042)', async () => {
    const { state, Waiter } = gate();
    Object.assign(Waiter, { durability: { timeoutMs: 1000 } });
    scriptModel({ steps: [callWait, { text: 'next' }] });
    flue = await startTest({ agents: [Waiter], execution: { settleGraceMs: 2000 } });
    const failure = failureOf(init(Waiter, { id: 'a' }).dispatch('x'));
    await until(() => state.calls === 1);
    expect((await flue.during(failure))!.cause).toMatchObject({ type: 'submission_timeout' });
    expect(flue.clock.now()).toBeLessThanOrEqual(3200);
    expect((await flue.during(init(Waiter, { id: 'a' }).dispatch('y'))).text).toBe('next');
  });
});

describe('an abort', () => {
  it('stops the host and everything queued behind it, each with its own record (ABT-01, ABT-05)', async () => {
    const { state, Waiter } = gate();
    scriptModel({ steps: [callWait, { text: 'after' }] });
    flue = await startTest({ agents: [Waiter] });
    const first = failureOf(init(Waiter, { id: 'a' }).dispatch('one'));
    await until(() => state.calls === 1);
    const second = failureOf(init(Waiter, { id: 'a' }).dispatch('two'));
    await until(async () => ofType(await flue.records('Waiter', 'a'), 'user_message').length === 2);
    expect(await init(Waiter, { id: 'a' }).abort()).toEqual({ aborted: true });
    expect(await Promise.all([first, second])).toMatchObject([
      { outcome: 'aborted' },
      { outcome: 'aborted' },
    ]);
    const records = await flue.records('Waiter', 'a');
    expect(ofType(records, 'submission_settled')).toHaveLength(2);
    expect(ofType(records, 'signal').map((signal) => signal.signalType)).toEqual([
      'submission_aborted',
      'submission_aborted',
    ]);
    expect((await init(Waiter, { id: 'a' }).dispatch('three')).text).toBe('after');
  });
});

describe('a graceful stop', () => {
  it('gives the work back at the boundary without spending an attempt; the next process finishes it (SHD-01, SHD-02, BUD-04, QUE-04)', async () => {
    const file = temporaryFile();
    files.push(file);
    const clock = fakeClock();
    const { open, state, Waiter } = gate();
    scriptModel({ steps: [callWait, { text: 'Finished.' }] });
    flue = await startTest({ agents: [Waiter], db: file.adapter(clock), clock });
    const receipt = await dispatch(Waiter, { id: 'a', message: 'x' });
    await until(() => state.calls === 1);
    const stopped = flue.stop();
    await turns(3);
    await expect(dispatch(Waiter, { id: 'a', message: 'refused' })).rejects.toMatchObject({
      type: 'runtime_unavailable',
    });
    open();
    await stopped;

    flue = await startTest({ agents: [Waiter], db: file.adapter(clock), clock });
    expect((await init(Waiter, { id: 'a' }).read(receipt)).text).toBe('Finished.');
    const moves = ofType(await flue.records('Waiter', 'a'), 'submission_moved');
    expect(moves).toMatchObject([
      { to: 'running', attempt: 1 },
      { to: 'queued' },
      { to: 'running', attempt: 1 },
    ]);
    expect(state.calls).toBe(1);
  });
});

describe('a restart without a tool that was called', () => {
  it('settles the open call, and tells a model that calls it again what there is (TBR-01, TCALL-16, PC-050)', async () => {
    const file = temporaryFile();
    files.push(file);
    const clock = fakeClock();
    const { open, state, Waiter } = gate();
    const script = scriptModel({ steps: [callWait, callWait, { text: 'Done without it.' }] });
    flue = await startTest({ agents: [Waiter], db: file.adapter(clock), clock });
    const receipt = await dispatch(Waiter, { id: 'a', message: 'x' });
    await until(() => state.calls === 1);
    await flue.stop({ timeoutMs: 0 });
    open();

    const other = defineTool({ name: 'look', description: 'Looks.', run: () => 'seen' });
    const Successor = Object.assign(
      () => {
        useModel('offline/script');
        useTool(other);
      },
      { agentName: 'Waiter' },
    );
    flue = await startTest({ agents: [Successor], db: file.adapter(clock), clock });
    const reply = await flue.during(init(Successor, { id: 'a' }).read(receipt));
    expect(reply.text).toBe('Done without it.');
    const results = script.requests.at(-1)!.messages.filter(({ role }) => role === 'tool');
    expect(results).toHaveLength(2);
    expect(JSON.stringify(results[1])).toContain('look');
    expect(state.calls).toBe(1);
  });
});
