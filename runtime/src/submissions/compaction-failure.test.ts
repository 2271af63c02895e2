import { afterEach, describe, expect, it } from 'vitest';
import { init } from '../app/init.ts';
import { startTest, type TestRuntime } from '../app/runtime.test.support.ts';
import { useModel } from '../engine/hooks/use-model.ts';

import { failureOf, keep, play, purposes, recorded, Talker, talk, usage } from './compaction.test.support.ts';

let flue: TestRuntime;
afterEach(() => flue?.stop());

describe('a compaction that fails', () => {
  it('is logged and changes nothing, and the turn proceeds (CMP-11)', async () => {
    const script = play({
      says: [{ text: 'One.', usage: usage(9_500) }, { text: 'Two.' }],
      summary: { error: { message: 'no such thing', transient: false } },
    });
    flue = await startTest({ agents: [Talker] });
    await talk('first');
    expect((await talk('second')).text).toBe('Two.');
    expect(purposes(script)).toEqual(['agent', 'compaction', 'agent']);
    expect(script.requests[2]!.messages).toHaveLength(3);
    expect(await recorded('compaction')).toEqual([]);
    expect(flue.log.filter((line) => line.includes('[flue:compaction]'))).toHaveLength(1);
  });

  it('is not tried again until the context has grown by 5 % of the window (CMP-11)', async () => {
    const sizes = [9_100, 9_200, 9_599, 9_601];
    const script = play({
      says: sizes.map((size) => ({ text: 'ok', usage: usage(size) })),
      summary: { error: { message: 'no', transient: false } },
    });
    flue = await startTest({ agents: [Talker] });
    for (const text of ['1', '2', '3', '4', '5']) await talk(text);
    // Used at each boundary: 0, 9,101, 9,201, 9,600 (below 9,101 + 500 = 9,601), 9,602.
    expect(purposes(script)).toEqual([
      'agent',
      'compaction',
      'agent',
      'agent',
      'agent',
      'compaction',
      'agent',
    ]);
  });

  it('is tried again while the failure is transient, like any model call (CMP-13)', async () => {
    const script = play({
      says: [{ text: 'One.', usage: usage(9_500) }, { text: 'Two.' }],
      summary: (n) => (n < 2 ? { error: {} } : { text: 'At last.' }),
    });
    flue = await startTest({ agents: [Talker], model: { retryBaseMs: 1_000 } });
    await talk('first');
    const began = flue.clock.now();
    await flue.during(talk('second'));
    expect(purposes(script)).toEqual(['agent', 'compaction', 'compaction', 'compaction', 'agent']);
    // 1 s and 2 s, each times 0.75 to 1
    expect(flue.clock.now() - began).toBeGreaterThanOrEqual(2_250);
    expect((await recorded('compaction'))[0]!.summary).toContain('At last.');
  });

  it('or takes until the deadline is the last thing that starts (BUD-06, TURN-16)', async () => {
    function Hasty() {
      useModel('offline/script', { compaction: keep });
    }
    Hasty.durability = { timeoutMs: 5_000 };
    const script = play({
      says: [{ text: 'One.', usage: usage(9_500) }],
      summary: { text: 'Late.', delayMs: 6_000 },
    });
    flue = await startTest({ agents: [Hasty] });
    await init(Hasty, { id: 'a' }).dispatch('first');
    const cause = await flue.during(failureOf(init(Hasty, { id: 'a' }).dispatch('second')));
    expect(cause).toMatchObject({ type: 'submission_timeout' });
    expect(purposes(script)).toEqual(['agent', 'compaction']);
    expect(await recorded('compaction', 'Hasty')).toHaveLength(1);
  });

  it('by silence is cut off and tried again (CMP-13, RETRY-07)', async () => {
    const script = play({
      says: [{ text: 'One.', usage: usage(9_500) }, { text: 'Two.' }],
      summary: (n) => (n === 0 ? { text: 'Never.', delayMs: 1_000_000 } : { text: 'At last.' }),
    });
    flue = await startTest({ agents: [Talker], model: { idleTimeoutMs: 5_000, retryBaseMs: 10 } });
    await talk('first');
    await flue.during(talk('second'), 1_000);
    expect(purposes(script)).toEqual(['agent', 'compaction', 'compaction', 'agent']);
  });
});
