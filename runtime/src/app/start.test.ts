import { afterEach, describe, expect, it } from 'vitest';
import { useModel } from '../engine/hooks/use-model.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import type { FlueStore, PersistenceAdapter } from '../ports/store.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { scriptModel } from '../testing/script-model.ts';
import { currentRuntime } from './current.ts';
import { dispatch } from './dispatch.ts';
import { init } from './init.ts';
import { memory, startTest, type TestRuntime, temporaryFile, turns, until } from './runtime.test.support.ts';
import { startRuntime } from './start.ts';

function Echo() {
  useModel('offline/script');
}

let flue: TestRuntime | undefined;
const files: { remove(): void }[] = [];
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
  for (const file of files.splice(0)) file.remove();
});

/** The in-memory store with some of its methods replaced, and what the runtime did with the adapter. */
function adapter(override: (store: FlueStore) => Partial<FlueStore>, clock = fakeClock()) {
  const real = memory(clock);
  const calls: string[] = [];
  const db: PersistenceAdapter = {
    ephemeral: true,
    migrate: () => {
      calls.push('migrate');
      return real.migrate?.();
    },
    async connect() {
      calls.push('connect');
      const store = await real.connect();
      return { ...store, ...override(store) };
    },
    async close() {
      calls.push('close');
      await real.close?.();
    },
  };
  return { db, calls, clock };
}

describe('start()', () => {
  it('refuses what cannot be served before any I/O (STA-01, STA-02)', async () => {
    const { db, calls } = adapter(() => ({}));
    const Bad = Object.assign(() => 'x', { durability: { maxAttempts: 0 } });
    const refused: [Parameters<typeof startTest>[0]['agents'], RegExp][] = [
      [[], /at least one agent/],
      [[() => 'x'], /anonymous/i],
      [[Echo, { agent: function Other() {}, name: 'Echo' }], /"Echo"/],
      [[{ agent: Bad, name: 'Bad' }], /maxAttempts/],
      [['Echo' as never], /An agent is a function/],
    ];
    for (const [agents, message] of refused) await expect(startTest({ agents, db })).rejects.toThrow(message);
    await expect(startTest({ agents: [Echo], db, execution: { leaseMs: 1 } })).rejects.toThrow(/leaseMs/);
    await expect(startRuntime(undefined as never, {} as never)).rejects.toThrow(/at least one agent/);
    expect(calls).toEqual([]);
    expect(currentRuntime()).toBeUndefined();
  });

  it('takes the name of an entry as identity (STA-01)', async () => {
    flue = await startTest({ agents: [{ agent: function Plain() {}, name: 'front-desk' }] });
    expect(currentRuntime()!.identityOf(Echo)).toBeUndefined();
    await expect(dispatch(Echo, { id: 'a', message: 'x' })).rejects.toThrow(
      /"Echo", which is not a registered/,
    );
  });

  it('keeps conversations in memory when it is given no store (STA-03, SUB-06)', async () => {
    scriptModel({ steps: [{ text: 'one' }, { text: 'two' }] });
    flue = await startTest({ agents: [Echo] });
    await init(Echo, { id: 'a' }).dispatch('x');
    await flue.stop();
    flue = await startTest({ agents: [Echo] });
    await expect(init(Echo, { id: 'a' }).read('sub_x')).rejects.toMatchObject({
      type: 'agent_instance_not_found',
    });
  });

  it('has one runtime per process, also while another start is under way, and may run again after a stop (STA-04)', async () => {
    const first = startTest({ agents: [Echo] });
    await expect(startTest({ agents: [Echo] })).rejects.toThrow(/already has a runtime/);
    flue = await first;
    await expect(startTest({ agents: [Echo] })).rejects.toThrow(/already has a runtime/);
    await flue.stop();
    flue = await startTest({ agents: [Echo] });
  });

  it('refused while another runtime has the adapter leaves it open for that one (ADP-05)', async () => {
    const { db, calls, clock } = adapter(() => ({}));
    scriptModel({ steps: [{ text: 'Still here.' }] });
    flue = await startTest({ agents: [Echo], db, clock });
    await expect(startTest({ agents: [Echo], db, clock })).rejects.toThrow(/already has a runtime/);
    expect((await init(Echo, { id: 'a' }).dispatch('x')).text).toBe('Still here.');
    const stopping = flue.stop();
    await expect(startTest({ agents: [Echo], db, clock })).rejects.toThrow(/already has a runtime/);
    await stopping;
    expect(calls).toEqual(['migrate', 'connect', 'close']);
  });

  it('migrates, connects, recovers, in this order, and closes last (STA-05, SHD-06, ADP-01)', async () => {
    const order: string[] = [];
    const { db, calls, clock } = adapter((store) => ({
      beat: (self, o) => {
        order.push(o.retire ? 'retire' : 'beat');
        calls.push(o.retire ? 'retire' : 'beat');
        return store.beat(self, o);
      },
      claim: (ownerId, o) => {
        calls.push('claim');
        return store.claim(ownerId, o);
      },
    }));
    flue = await startTest({ agents: [Echo], db, clock });
    await flue.stop();
    expect(calls.slice(0, 4)).toEqual(['migrate', 'connect', 'beat', 'claim']);
    expect(calls.slice(-2)).toEqual(['retire', 'close']);
  });

  it('rejects with the cause when the store fails, closes it and leaves the process free (STA-05)', async () => {
    const broken = new Error('disk on fire');
    const failing = (part: 'migrate' | 'connect' | 'claim') => {
      const fail = () => Promise.reject(broken);
      const made = adapter(() => (part === 'claim' ? { claim: fail } : {}));
      if (part !== 'claim') Object.assign(made.db, { [part]: fail });
      return made;
    };
    for (const part of ['migrate', 'connect', 'claim'] as const) {
      const { db, calls, clock } = failing(part);
      const failure = await startTest({ agents: [Echo], db, clock }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ message: expect.stringContaining('start()'), cause: broken });
      expect(calls.at(-1)).toBe('close');
      expect(currentRuntime()).toBeUndefined();
      expect(clock.pending).toBe(0);
    }
    flue = await startTest({ agents: [Echo] });
  });

  it('lets whoever holds a runtime that failed to boot send nothing (STA-05, DSP-16)', async () => {
    let held: ReturnType<typeof currentRuntime>;
    const { db, clock } = adapter(() => ({
      claim: () => {
        held = currentRuntime();
        return Promise.reject(new Error('no'));
      },
    }));
    await expect(startTest({ agents: [Echo], db, clock })).rejects.toThrow();
    expect(held!.state).toBe('failed');
    await expect(held!.admit('Echo', { kind: 'dispatch', id: 'a', message: 'x' })).rejects.toMatchObject({
      type: 'runtime_unavailable',
      status: 503,
      meta: { state: 'failed' },
    });
  });

  it('names the method that a store lacks (STA-05)', async () => {
    const { db, calls } = adapter(() => ({ watch: undefined as never }));
    await expect(startTest({ agents: [Echo], db })).rejects.toThrow(/watch\(\)/);
    expect(calls.at(-1)).toBe('close');
  });
});

describe('stop()', () => {
  /** An agent whose tool runs until the test, or its signal, ends it. */
  function busyAgent(o: { honorsSignal: boolean }) {
    const state = { calls: 0, end: () => {} };
    function Busy() {
      useModel('offline/script');
      useTool({
        name: 'wait',
        description: 'Waits.',
        run: ({ signal }) =>
          new Promise<string>((resolve, reject) => {
            state.calls += 1;
            state.end = () => resolve('done');
            if (o.honorsSignal) signal!.addEventListener('abort', () => reject(signal!.reason));
          }),
      });
    }
    return { Busy, state };
  }
  const callWait = { toolCalls: [{ name: 'wait', arguments: {} }] };

  it('is one call, however often, refuses admissions and leaves nothing behind (STA-07, DSP-16)', async () => {
    const { Busy, state } = busyAgent({ honorsSignal: true });
    scriptModel({ steps: [callWait, { text: 'ok' }] });
    flue = await startTest({ agents: [Busy] });
    const reply = init(Busy, { id: 'a' }).dispatch('x');
    await until(() => state.calls === 1);
    const stopped = flue.stop();
    expect(flue.stop()).toBe(stopped);
    await expect(dispatch(Busy, { id: 'a', message: 'late' })).rejects.toMatchObject({
      type: 'runtime_unavailable',
      status: 503,
      meta: { state: 'draining' },
    });
    state.end();
    expect((await reply).text).toBe('ok');
    await stopped;
    await flue[Symbol.asyncDispose]();
    expect(flue.clock.pending).toBe(0);
    expect(currentRuntime()).toBeUndefined();
  });

  it('of a store of the process alone finishes what runs and what waits for a place (SHD-05)', async () => {
    scriptModel({ steps: () => ({ text: 'done', stallMs: 500 }) });
    flue = await startTest({ agents: [Echo], execution: { concurrency: 1 } });
    const replies = ['a', 'b', 'c'].map((id) => init(Echo, { id }).dispatch('x'));
    await turns(10);
    const stopped = flue.stop({ timeoutMs: 10_000 });
    expect((await flue.during(Promise.all(replies))).map((reply) => reply.text)).toEqual([
      'done',
      'done',
      'done',
    ]);
    await flue.during(stopped);
    expect(flue.clock.now()).toBeLessThan(5000);
  });

  it('of such a store settles as aborted what the budget does not suffice for, so that nobody waits in vain (SHD-05)', async () => {
    for (const honorsSignal of [true, false]) {
      const { Busy, state } = busyAgent({ honorsSignal });
      scriptModel({ steps: () => callWait });
      flue = await startTest({ agents: [Busy], execution: { concurrency: 1 } });
      const outcomes = ['a', 'b'].map((id) =>
        init(Busy, { id })
          .dispatch('x')
          .catch((error: unknown) => error),
      );
      await until(() => state.calls === 1);
      const stopped = flue.stop({ timeoutMs: 4000 });
      expect(await flue.during(Promise.all(outcomes))).toMatchObject([
        { outcome: 'aborted', cause: { type: 'submission_aborted' } },
        { outcome: 'aborted', cause: { type: 'submission_aborted' } },
      ]);
      await flue.during(stopped);
      expect(state.calls).toBe(1);
      expect(flue.clock.now()).toBeLessThanOrEqual(4200);
      expect(flue.clock.pending).toBe(0);
    }
  });

  it('interrupts what reaches no boundary at half of the budget, and the row is free with its attempt refunded (SHD-02, SHD-03, BUD-04)', async () => {
    const file = temporaryFile();
    files.push(file);
    const clock = fakeClock();
    const { Busy, state } = busyAgent({ honorsSignal: true });
    scriptModel({ steps: [callWait, { text: 'Finished.' }] });
    flue = await startTest({ agents: [Busy], db: file.adapter(clock), clock });
    const receipt = await dispatch(Busy, { id: 'a', message: 'x' });
    await until(() => state.calls === 1);
    await flue.during(flue.stop({ timeoutMs: 4000 }));
    expect(clock.now()).toBeLessThanOrEqual(2200);

    flue = await startTest({ agents: [Busy], db: file.adapter(clock), clock });
    expect((await init(Busy, { id: 'a' }).read(receipt)).text).toBe('Finished.');
    expect(await currentRuntime()!.store.submission(receipt.dispatchId)).toMatchObject({ attempts: 1 });
    expect(flue.log).toEqual([]);
    // The call that was cut off is told to the model and not run again (TBR-01).
    expect(state.calls).toBe(1);
  });

  it('without a budget tells local waiters that the runtime is gone, and logs no failure of its own making (HND-11, SHD-04)', async () => {
    const file = temporaryFile();
    files.push(file);
    const clock = fakeClock();
    const { Busy, state } = busyAgent({ honorsSignal: false });
    scriptModel({ steps: () => callWait });
    flue = await startTest({ agents: [Busy], db: file.adapter(clock), clock });
    const failureOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);
    const plain = failureOf(init(Busy, { id: 'a' }).dispatch('x'));
    const told = failureOf(init(Busy, { id: 'b' }).dispatch('x', { onEvent: () => {} }));
    await until(() => state.calls === 2);
    await flue.stop({ timeoutMs: 0 });
    for (const failure of await Promise.all([plain, told]))
      expect(failure).toMatchObject({
        type: 'runtime_unavailable',
        status: 503,
        meta: { state: 'draining' },
      });
    state.end();
    await turns(5);
    expect(flue.log).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('does not sit out the wait for a retry (SHD-01, RETRY-09)', async () => {
    const file = temporaryFile();
    files.push(file);
    const clock = fakeClock();
    const script = scriptModel({ steps: [{ error: {} }, { text: 'later' }] });
    flue = await startTest({
      agents: [Echo],
      db: file.adapter(clock),
      clock,
      model: { retryBaseMs: 60_000 },
    });
    const receipt = await dispatch(Echo, { id: 'a', message: 'x' });
    await until(async () => script.requests.length === 1 && (await flue!.records('Echo', 'a')).length >= 6);
    await turns(5);
    await flue.stop();
    expect(clock.now()).toBe(0);
    flue = await startTest({ agents: [Echo], db: file.adapter(clock), clock, model: { retryBaseMs: 10 } });
    expect((await flue.during(init(Echo, { id: 'a' }).read(receipt))).text).toBe('later');
  });
});
