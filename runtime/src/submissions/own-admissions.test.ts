import { afterEach, describe, expect, it } from 'vitest';
import { init } from '../app/init.ts';
import { memory, startTest, type TestRuntime } from '../app/runtime.test.support.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import type { FlueStore } from '../ports/store.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { scriptModel } from '../testing/script-model.ts';
import { createOwnAdmissions } from './own-admissions.ts';

function Desk() {
  useModel('offline/script');
}

let flue: TestRuntime;
afterEach(() => flue?.stop());

/** What attempts read back of what was admitted. */
async function startCounting(): Promise<{ readonly reads: string[] }> {
  const clock = fakeClock();
  const adapter = memory(clock);
  const reads: string[] = [];
  const counted = (store: FlueStore): FlueStore => ({
    ...store,
    read(path, o) {
      reads.push(path);
      return store.read(path, o);
    },
  });
  const connect = async () => counted(await adapter.connect());
  flue = await startTest({ agents: [Desk], clock, db: { ...adapter, connect } });
  return { reads };
}

describe('a delivery of this process', () => {
  it('is folded as it was sent, at first contact and later, and nothing of it is read back (CKP-05, RCD-44)', async () => {
    const model = scriptModel({ loop: true, steps: [{ text: 'Yes.' }] });
    const { reads } = await startCounting();
    const desk = init(Desk, { id: '1' });
    await desk.dispatch('first');
    await desk.dispatch({
      message: { kind: 'signal', type: 'order', body: 'second', attributes: { no: '7' } },
    });
    expect(reads).toEqual([]);
    const shown = JSON.stringify(model.requests.at(-1)?.messages);
    expect(shown).toContain('first');
    expect(shown).toContain('second');
    expect((await flue.records('Desk', '1')).map(({ type }) => type).slice(0, 2)).toEqual([
      'conversation_opened',
      'user_message',
    ]);
  });

  it('is read where its key may name an earlier one, and where it brought data (DSP-11, IDATA-01)', async () => {
    scriptModel({ loop: true, steps: [{ text: 'Yes.' }] });
    const { reads } = await startCounting();
    await init(Desk, { id: '2' }).dispatch({ message: 'hi', idempotencyKey: 'once' });
    await init(Desk, { id: '3' }).dispatch({ message: 'hi', initialData: { plan: 'free' } });
    expect(reads).toEqual(['agents/Desk/2', 'agents/Desk/3']);
  });
});

it('no more admissions are kept than states of idle instances (CKP-09)', () => {
  const own = createOwnAdmissions(2);
  const accepted = { type: 'user_message' } as never;
  for (const id of ['a', 'b', 'c']) own.expect(id, { accepted, size: 1 });
  expect(['a', 'b', 'c'].map((id) => own.take(id) !== undefined)).toEqual([false, true, true]);
  expect(own.take('c')).toBeUndefined();
});
