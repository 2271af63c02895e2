import { afterEach, expect, it } from 'vitest';
import { currentRuntime } from '../app/current.ts';
import { init } from '../app/init.ts';
import { memory, startTest, type TestRuntime, until } from '../app/runtime.test.support.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import type { FlueStore } from '../ports/store.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { scriptModel } from '../testing/script-model.ts';

let flue: TestRuntime | undefined;
afterEach(() => flue?.stop());

function Desk() {
  useModel('offline/script');
}

/** What happens once, between an effect of the store and its answer. */
interface Pauses {
  settled?: (() => Promise<void>) | undefined;
  admitted?: (() => Promise<void>) | undefined;
}

function pausing(store: FlueStore, pauses: Pauses): FlueStore {
  const pause = async (at: keyof Pauses) => {
    const once = pauses[at];
    pauses[at] = undefined;
    await once?.();
  };
  return {
    ...store,
    async commit(fence, commit) {
      const result = await store.commit(fence, commit);
      if (commit.rows?.some((row) => row.to === 'settled')) await pause('settled');
      return result;
    },
    async admit(admission) {
      const result = await store.admit(admission);
      await pause('admitted');
      return result;
    },
  };
}

it('an admission that is told at any step of an ending attempt waits for no scan (JOI-02)', async () => {
  const clock = fakeClock();
  const adapter = memory(clock);
  const pauses: Pauses = {};
  scriptModel({ steps: () => ({ text: 'ok' }) });
  const connect = async () => pausing(await adapter.connect(), pauses);
  flue = await startTest({ agents: [Desk], clock, db: { ...adapter, connect } });
  for (let steps = 0; steps < 60; steps++) {
    const desk = init(Desk, { id: `desk_${steps}` });
    let second: ReturnType<typeof desk.dispatch> | undefined;
    pauses.settled = () =>
      new Promise<void>((settled) => {
        pauses.admitted = async () => {
          settled();
          for (let n = 0; n < steps; n++) await undefined;
        };
        second = desk.dispatch('second');
      });
    await desk.dispatch('first');
    await until(() => second !== undefined);
    const { submissionId } = await second!;
    const row = () => currentRuntime()!.store.submission(submissionId);
    await until(async () => (await row())?.status === 'settled');
    expect(await row()).toMatchObject({ outcome: 'completed', attempts: 1 });
  }
});

it('a send right upon a reply is claimed in the transaction that admits it (SQL-05, JOI-02)', async () => {
  const clock = fakeClock();
  const adapter = memory(clock);
  const calls: string[] = [];
  scriptModel({ loop: true, steps: [{ text: 'ok' }] });
  const noting = (store: FlueStore): FlueStore => ({
    ...store,
    async admit(admission) {
      calls.push('admit');
      const result = await store.admit(admission);
      calls.push('admitted');
      return result;
    },
    claim(ownerId, o) {
      calls.push('claim');
      return store.claim(ownerId, o);
    },
  });
  const connect = async () => noting(await adapter.connect());
  flue = await startTest({ agents: [Desk], clock, db: { ...adapter, connect } });
  const desk = init(Desk, { id: 'again' });
  await desk.dispatch('first');
  calls.length = 0;
  await desk.dispatch('second');
  expect(calls).toEqual(['admit', 'claim', 'admitted']);
});
