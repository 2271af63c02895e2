import {
  admission,
  beat,
  claimHead,
  claimOne,
  claimOptions,
  commit,
  fenceOf,
  owner,
  PATH,
  rejection,
} from './givens.ts';
import type { Suite } from './target.ts';

const HOUR = 3_600_000;

/** CTS-09. */
export function beatScenarios({ scenario, expect }: Suite): void {
  scenario(
    'a beat answers with the store clock and the stored format (CTS-09, BEA-01)',
    async ({ store, clock }) => {
      const first = await beat(store, 'o1');
      expect(first).toMatchObject({ now: clock.now, self: 'live', peers: [], aborts: [] });
      expect(first.format.minReader <= first.format.format).toBe(true);
      clock.now += 123;
      expect((await beat(store, 'o1')).now).toBe(clock.now);
    },
  );

  scenario(
    'peers are the others that hold instances, as they described themselves (CTS-09, BEA-01, OWN-08)',
    async (f) => {
      const { store, clock } = f;
      const described = {
        ownerId: 'o1',
        machineId: 'm',
        bootId: 'b',
        pidNamespace: 'pid:[1]',
        pid: 42,
        processStart: '123456',
        runtimeStart: 7,
        agents: ['orders', 'refunds'],
      };
      await store.beat(described, { leaseMs: 5000 });
      await beat(store, 'idle');
      await store.admit(admission({ submissionId: 's1' }));
      await claimHead(store, 'o1');
      const expected = { ...described, state: 'live', lastBeat: clock.now, leaseMs: 5000 };
      expect((await beat(store, 'o2')).peers).toEqual([expected]);
      expect((await beat(store, 'o1')).peers).toEqual([]);
    },
  );

  scenario('a beat updates what it says about its process (CTS-09)', async ({ store, clock }) => {
    await claimOne(store, 'o1', 's1');
    clock.now += 50;
    await store.beat(owner('o1', ['orders', 'more']), { leaseMs: 9000 });
    const [peer] = (await beat(store, 'o2')).peers;
    expect(peer).toMatchObject({ agents: ['orders', 'more'], lastBeat: clock.now, leaseMs: 9000 });
  });

  scenario('aborts of the own running work are reported (CTS-09, BEA-01)', async ({ store, clock }) => {
    await claimOne(store, 'o1', 's1');
    await store.admit(admission({ submissionId: 's2' }));
    await store.abort(PATH);
    const stamp = { path: PATH, submissionId: 's1', requestedAt: clock.now };
    expect((await beat(store, 'o1')).aborts).toEqual([stamp]);
    expect((await beat(store, 'o2')).aborts).toEqual([]);
  });

  scenario(
    'another owner is retired only while its beat is the one seen (CTS-09, BEA-02)',
    async ({ store, clock }) => {
      await claimOne(store, 'o1', 's1');
      const seen = clock.now;
      clock.now += 100;
      await beat(store, 'o1');
      await store.beat(owner('o2'), { leaseMs: 5000, retire: [{ ownerId: 'o1', lastBeat: seen }] });
      expect((await beat(store, 'o1')).self).toBe('live');
      await store.beat(owner('o2'), { leaseMs: 5000, retire: [{ ownerId: 'o1', lastBeat: clock.now }] });
      expect((await beat(store, 'o1')).self).toBe('retired');
      expect((await claimHead(store, 'o2')).previous).toEqual({ reason: 'stopped', ownerId: 'o1' });
    },
  );

  scenario(
    'a retired owner never lives again, and writes nothing (CTS-09, BEA-02, BEA-03)',
    async ({ store, clock }) => {
      const fence = fenceOf(await claimOne(store, 'o1', 's1'), 'o1');
      expect((await store.beat(owner('o1'), { leaseMs: 5000, retire: [{ ownerId: 'o1' }] })).self).toBe(
        'retired',
      );
      clock.now += 10;
      expect((await beat(store, 'o1')).self).toBe('retired');
      expect((await rejection(store.commit(fence, commit(1)))).type).toBe('ownership_lost');
      expect(await store.claim('o1', claimOptions({ paths: [PATH] }))).toEqual([]);
    },
  );

  scenario(
    'long-gone owners that hold nothing are forgotten, others stay (RET-03)',
    async ({ store, clock }) => {
      await claimOne(store, 'holder', 's1');
      await beat(store, 'gone');
      clock.now += HOUR + 1;
      await beat(store, 'o2');
      expect((await beat(store, 'o2')).peers.map((peer) => peer.ownerId)).toEqual(['holder']);
      expect((await claimHead(store, 'o2')).previous.ownerId).toBe('holder');
    },
  );
}
