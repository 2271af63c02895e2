import { expect, it } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { endWaits, lookUntil } from './reader-wait.ts';
import { memory, turns, until } from './runtime.test.support.ts';

const WAITERS = 300;

it('very many waiters look again over several turns of the event loop, and at once when the store has closed (ADP-06, QRY-07)', async () => {
  const clock = fakeClock();
  const adapter = memory(clock);
  const store = await adapter.connect();
  let looks = 0;
  const closed = new Error('closed');
  let isClosed = false;
  const look = async () => {
    looks += 1;
    if (isClosed) throw closed;
    return undefined;
  };
  const waits = Array.from({ length: WAITERS }, (_, index) =>
    lookUntil({ store, clock }, `agents/A/${index}`, look, {}).catch((error: unknown) => error),
  );
  await until(() => looks === WAITERS);
  await turns(2);

  looks = 0;
  const advanced = clock.advance(5000);
  const perTurn: number[] = [];
  for (let before = 0; looks < WAITERS; before = looks) {
    await turns(1);
    perTurn.push(looks - before);
  }
  await advanced;
  expect(perTurn.length).toBeGreaterThanOrEqual(4);
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(128);

  isClosed = true;
  endWaits(store);
  expect(await Promise.all(waits)).toEqual(Array(WAITERS).fill(closed));
  expect(clock.pending).toBe(0);
  await adapter.close?.();
});

it('who begins to wait for something new of a store that has closed looks at once (HND-11)', async () => {
  const clock = fakeClock();
  const adapter = memory(clock);
  const store = await adapter.connect();
  endWaits(store);
  const look = () => Promise.reject(new Error('closed'));
  await expect(lookUntil({ store, clock }, 'agents/A/1', look, { isFresh: true })).rejects.toThrow('closed');
  await adapter.close?.();
});
