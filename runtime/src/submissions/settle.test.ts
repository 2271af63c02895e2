import { AsyncResource } from 'node:async_hooks';
import { afterEach, describe, expect, it } from 'vitest';
import { currentRuntime } from '../app/current.ts';
import { dispatch } from '../app/dispatch.ts';
import { init } from '../app/init.ts';
import { startTest, type TestRuntime, temporaryFile, until } from '../app/runtime.test.support.ts';
import type { ConversationRecord, RecordOf, RecordType } from '../conversation/records/index.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { usePersistentState } from '../engine/hooks/use-persistent-state.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { scriptModel } from '../testing/script-model.ts';
import { claimOptions, owner } from '../testing/store-contract/givens.ts';

let flue: TestRuntime | undefined;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const ofType = <T extends RecordType>(records: ConversationRecord[], type: T) =>
  records.filter((record): record is RecordOf<T> => record.type === type);

/** An agent with one tool that runs until the test ends it, and notes whether its signal fired. */
function waiting() {
  const state = { calls: 0, stopped: 0, end: () => {} };
  function Waiter() {
    useModel('offline/script');
    useTool({
      name: 'wait',
      description: 'Waits.',
      run: ({ signal }) =>
        new Promise<string>((resolve) => {
          state.calls += 1;
          state.end = () => resolve('waited');
          signal!.addEventListener('abort', () => {
            state.stopped += 1;
          });
        }),
    });
  }
  return { Waiter, state };
}
const callWait = { toolCalls: [{ name: 'wait', arguments: {} }] };
const settlements = async (identity: string) =>
  ofType(await flue!.records(identity, 'a'), 'submission_settled').map(
    (record) => [record.submissionId, record.outcome] as const,
  );

describe('an abort of one queued delivery', () => {
  it('gives it its outcome at once, while the head works on, and what waits behind it still joins (ABT-06, JOI-03, FLT-15)', async () => {
    const { Waiter, state } = waiting();
    const script = scriptModel({ steps: [callWait, { text: 'Both.' }] });
    flue = await startTest({ agents: [Waiter] });
    const head = await dispatch(Waiter, { id: 'a', message: 'one' });
    await until(() => state.calls === 1);
    const unwanted = await dispatch(Waiter, { id: 'a', message: 'two' });
    const last = await dispatch(Waiter, { id: 'a', message: 'three' });
    const handle = init(Waiter, { id: 'a' });
    expect(await handle.abort({ submissionId: unwanted.dispatchId })).toEqual({ aborted: true });
    await expect(handle.read(unwanted)).rejects.toMatchObject({ outcome: 'aborted' });
    expect(state.stopped).toBe(0);
    expect(flue.clock.now()).toBe(0);
    state.end();
    expect((await handle.read(last)).text).toBe('Both.');
    expect(await settlements('Waiter')).toEqual([
      [unwanted.dispatchId, 'aborted'],
      [head.dispatchId, 'completed'],
      [last.dispatchId, 'completed'],
    ]);
    expect(JSON.stringify(script.requests[1]!.messages)).not.toContain('two');
    expect(flue.log).toEqual([]);
  });

  it('that another process asked for is found within a beat (ABT-02, ABT-06)', async () => {
    const file = temporaryFile();
    const clock = fakeClock();
    const { Waiter, state } = waiting();
    scriptModel({ steps: [callWait, { text: 'One.' }] });
    const other = file.adapter(clock);
    cleanups.push(() => other.close?.(), file.remove);
    flue = await startTest({ agents: [Waiter], db: file.adapter(clock), clock });
    await dispatch(Waiter, { id: 'a', message: 'one' });
    await until(() => state.calls === 1);
    const unwanted = await dispatch(Waiter, { id: 'a', message: 'two' });
    await (await other.connect()).abort('agents/Waiter/a', { submissionId: unwanted.dispatchId });
    // The store looks for the writes of other processes by a timer of its own.
    await new Promise((resolve) => currentRuntime()!.store.watch((hint) => hint === 'any' && resolve(hint)));
    await clock.advance(1000);
    await until(async () => (await settlements('Waiter')).length === 1);
    expect(await settlements('Waiter')).toEqual([[unwanted.dispatchId, 'aborted']]);
    state.end();
  });

  it('before anything runs needs no model and no render (ABT-05, ABT-06)', async () => {
    let renders = 0;
    function Counted() {
      renders += 1;
      useModel('offline/script');
    }
    const script = scriptModel({ steps: () => ({ text: 'busy', stallMs: 1000 }) });
    flue = await startTest({ agents: [Counted], execution: { concurrency: 1 } });
    await dispatch(Counted, { id: 'b', message: 'x' });
    await until(async () => (await flue!.records('Counted', 'b')).length > 2);
    const before = renders;
    const waits = await dispatch(Counted, { id: 'a', message: 'y' });
    await init(Counted, { id: 'a' }).abort();
    const outcome = init(Counted, { id: 'a' })
      .read(waits)
      .catch((error: unknown) => error);
    expect(await flue.during(outcome)).toMatchObject({ outcome: 'aborted' });
    expect(script.requests).toHaveLength(1);
    expect(renders - before).toBe(0);
  });
});

describe('an abort of the host alone', () => {
  it('stops it with what joined it; what waits runs on its own (ABT-06)', async () => {
    const { Waiter, state } = waiting();
    scriptModel({ steps: [callWait, { text: 'Next.' }] });
    flue = await startTest({ agents: [Waiter] });
    const head = await dispatch(Waiter, { id: 'a', message: 'one' });
    await until(() => state.calls === 1);
    const next = await dispatch(Waiter, { id: 'a', message: 'two' });
    await init(Waiter, { id: 'a' }).abort({ submissionId: head.dispatchId });
    expect((await init(Waiter, { id: 'a' }).read(next)).text).toBe('Next.');
    expect(await settlements('Waiter')).toEqual([
      [head.dispatchId, 'aborted'],
      [next.dispatchId, 'completed'],
    ]);
    expect(state.stopped).toBe(1);
  });
});

describe('an attempt that lost its instance', () => {
  it('stops what it runs, records nothing more and says so once (OWN-02, OWN-05, OWN-15)', async () => {
    const file = temporaryFile();
    const clock = fakeClock();
    const { Waiter, state } = waiting();
    scriptModel({ steps: [callWait, { text: 'never' }] });
    const other = file.adapter(clock);
    cleanups.push(() => other.close?.(), file.remove);
    flue = await startTest({ agents: [Waiter], db: file.adapter(clock), clock });
    await dispatch(Waiter, { id: 'a', message: 'one' });
    await until(() => state.calls === 1);
    const thief = await other.connect();
    await thief.beat(owner('own_thief', ['Waiter']), { leaseMs: 60_000 });
    const dead = (await thief.beat(owner('own_thief', ['Waiter']), { leaseMs: 60_000 })).peers.map(
      (one) => one.ownerId,
    );
    expect(await thief.claim('own_thief', claimOptions({ agents: ['Waiter'], dead }))).toHaveLength(1);
    const before = await flue.records('Waiter', 'a');
    state.end();
    await until(() => flue!.log.length > 0);
    expect(flue.log).toHaveLength(1);
    expect(flue.log[0]).toMatch(
      /operation=process_submission submission=sub_\w+ attempt=1 OwnershipLostError/,
    );
    expect(state.stopped).toBe(1);
    expect(await flue.records('Waiter', 'a')).toEqual(before);
  });
});

describe('what cannot be written at all', () => {
  it('because it is too large fails this submission only (STR-07, RCD-13, REC-07)', async () => {
    function Hoarder() {
      useModel('offline/script');
      const setters = ['one', 'two'].map((name) => usePersistentState(name, '')[1]);
      // Each is small enough for a batch, which is what its setter can tell; together they are not.
      const run = () => setters.forEach((set) => void set('x'.repeat(7 * 1024 * 1024)));
      useTool({ name: 'hoard', description: 'Hoards.', run });
    }
    scriptModel({ steps: [{ toolCalls: [{ name: 'hoard', arguments: {} }] }, { text: 'Less.' }] });
    flue = await startTest({ agents: [Hoarder] });
    await expect(init(Hoarder, { id: 'a' }).dispatch('one')).rejects.toMatchObject({
      outcome: 'failed',
      cause: { type: 'record_too_large' },
    });
    expect((await init(Hoarder, { id: 'a' }).dispatch('two')).text).toBe('Less.');
  });
});

describe('state that is written after its call was recorded', () => {
  it('is kept although the render of the next boundary fails (STC-01)', async () => {
    const late = { write: () => {}, end: () => {} };
    let broken = false;
    function Fragile() {
      useModel('offline/script');
      const [, setSeen] = usePersistentState('seen', 0);
      useTool({
        name: 'look',
        description: 'Looks, and goes on looking.',
        run: () => {
          late.write = AsyncResource.bind(() => setSeen(1));
          return 'seen';
        },
      });
      useTool({
        name: 'wait',
        description: 'Waits.',
        run: () =>
          new Promise<string>((resolve) => {
            late.end = () => resolve('waited');
          }),
      });
      if (broken) throw new Error('broken');
    }
    const toolCalls = ['look', 'wait'].map((name) => ({ name, arguments: {} }));
    scriptModel({ steps: [{ toolCalls }] });
    flue = await startTest({ agents: [Fragile] });
    const outcome = init(Fragile, { id: 'a' })
      .dispatch('x')
      .catch((error: unknown) => error);
    await until(async () => ofType(await flue!.records('Fragile', 'a'), 'call_settled').length === 1);
    late.write();
    broken = true;
    late.end();
    expect(await outcome).toMatchObject({ outcome: 'failed', cause: { meta: { category: 'render' } } });
    expect(ofType(await flue.records('Fragile', 'a'), 'state_written')).toMatchObject([
      { name: 'seen', value: 1 },
    ]);
  });
});
