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
} from './givens.ts';
import type { Suite } from './target.ts';

const RACES = 1000;

/** CTS-04. */
export function claimScenarios({ scenario, expect }: Suite): void {
  scenario('a claim starts the head under a new epoch (CTS-04, CLM-02, CLM-04)', async ({ store, clock }) => {
    await store.admit(admission({ submissionId: 's1' }));
    await store.admit(admission({ submissionId: 's2' }));
    await beat(store, 'o1');
    const claim = await claimHead(store, 'o1');
    expect(claim).toMatchObject({
      path: PATH,
      epoch: 1,
      row: { submissionId: 's1', status: 'running', attempts: 1, firstClaimedAt: clock.now },
      joined: [],
      previous: { reason: 'none' },
      view: { instance: { epoch: 1, ownerId: 'o1' }, checkpoint: null },
    });
    expect(claim.view.rows.map((row) => row.submissionId)).toEqual(['s1', 's2']);
    expect(await store.load(PATH)).toEqual(claim.view);
  });

  scenario('racing claimers never share an instance (CTS-04, CLM-03)', async ({ store, second }) => {
    const other = await second();
    await beat(store, 'o1');
    await beat(other, 'o2');
    for (let round = 0; round < RACES; round++) {
      const submissionId = `s${round}`;
      await store.admit(admission({ submissionId }));
      const [mine, theirs] = await Promise.all([
        store.claim('o1', claimOptions()),
        other.claim('o2', claimOptions()),
      ]);
      const claims = [...mine, ...theirs];
      if (claims.length !== 1) throw new Error(`round ${round}: ${claims.length} claims`);
      expect(claims[0]).toMatchObject({ epoch: round + 1, row: { submissionId, attempts: 1 } });
      const [winner, ownerId] = mine.length === 1 ? [store, 'o1'] : [other, 'o2'];
      const rows = [{ submissionId, to: 'settled', outcome: 'completed' }] as const;
      await winner.commit({ path: PATH, ownerId, epoch: round + 1 }, commit(1, { rows }));
    }
  });

  scenario('a process gets the agents that it serves (CTS-04, QUE-07)', async ({ store }) => {
    await store.admit(admission({ submissionId: 's1', path: 'agents/refunds/1' }));
    await store.admit(admission({ submissionId: 's2', path: 'agents/orders/1' }));
    await beat(store, 'o1');
    expect((await claimHead(store, 'o1')).row.submissionId).toBe('s2');
  });

  scenario('an abort-stamped head goes to any process (CTS-04, CLM-01)', async ({ store }) => {
    await store.admit(admission({ submissionId: 's1', path: 'agents/refunds/1' }));
    await beat(store, 'o1');
    expect(await store.claim('o1', claimOptions())).toEqual([]);
    await store.abort('agents/refunds/1');
    expect((await claimHead(store, 'o1')).row.submissionId).toBe('s1');
  });

  scenario(
    'work of an agent that nobody serves goes to anybody once it has timed out (CTS-04, QUE-08)',
    async (f) => {
      const { store, clock } = f;
      const acceptedAt = new Date(clock.now).toISOString();
      await store.admit(
        admission({ submissionId: 's1', path: 'agents/refunds/1', acceptedAt, timeoutMs: 60_000 }),
      );
      await beat(store, 'o1');
      clock.now += 59_999;
      expect(await store.claim('o1', claimOptions())).toEqual([]);
      await beat(store, 'server of refunds', ['refunds']);
      clock.now += 89_000;
      expect(await store.claim('o1', claimOptions())).toEqual([]);
      clock.now += 2_000;
      expect((await claimHead(store, 'o1')).row.submissionId).toBe('s1');
    },
  );

  scenario('a live owner keeps its work within its lease (CTS-04, CLM-01)', async ({ store, clock }) => {
    await claimOne(store, 'o1', 's1');
    clock.now += 5000;
    await beat(store, 'o2');
    expect(await store.claim('o2', claimOptions())).toEqual([]);
    clock.now += 1;
    const claim = await claimHead(store, 'o2');
    expect(claim).toMatchObject({
      epoch: 2,
      row: { attempts: 2 },
      previous: { reason: 'expired', ownerId: 'o1' },
    });
  });

  scenario('a beat renews the lease (CTS-04, OWN-06)', async ({ store, clock }) => {
    await claimOne(store, 'o1', 's1');
    clock.now += 4000;
    await beat(store, 'o1');
    clock.now += 4000;
    await beat(store, 'o2');
    expect(await store.claim('o2', claimOptions())).toEqual([]);
  });

  scenario(
    'an owner proven alive keeps its work until it counts as hung (CTS-04, OWN-12)',
    async ({ store, clock }) => {
      await claimOne(store, 'o1', 's1');
      clock.now += 29_999;
      await beat(store, 'o2');
      expect(await store.claim('o2', claimOptions({ alive: ['o1'] }))).toEqual([]);
      clock.now += 1;
      await beat(store, 'o2');
      expect((await claimHead(store, 'o2', { alive: ['o1'] })).previous).toEqual({
        reason: 'hung',
        ownerId: 'o1',
      });
    },
  );

  scenario('work of a dead or stopped owner is there at once (CTS-04, OWN-10)', async ({ store }) => {
    await claimOne(store, 'o1', 's1');
    await beat(store, 'o2');
    expect((await claimHead(store, 'o2', { dead: ['o1'] })).previous).toEqual({
      reason: 'dead',
      ownerId: 'o1',
    });
    await store.beat(owner('o2'), { leaseMs: 5000, retire: [{ ownerId: 'o2' }] });
    await beat(store, 'o3');
    const claim = await claimHead(store, 'o3');
    expect(claim).toMatchObject({
      epoch: 3,
      row: { attempts: 3 },
      previous: { reason: 'stopped', ownerId: 'o2' },
    });
  });

  scenario('the caller takes a path of its own anew when it says so (CTS-04, CLM-01)', async ({ store }) => {
    const first = await claimOne(store, 'o1', 's1');
    expect(await store.claim('o1', claimOptions())).toEqual([]);
    expect(await store.claim('o1', claimOptions({ paths: ['agents/orders/other'] }))).toEqual([]);
    const again = await claimHead(store, 'o1', { paths: [PATH] });
    expect(again).toMatchObject({ epoch: first.epoch + 1, previous: { reason: 'self', ownerId: 'o1' } });
    await beat(store, 'o2');
    expect(await store.claim('o2', claimOptions({ paths: [PATH] }))).toEqual([]);
  });

  scenario('a retired caller, and one that never beat, claim nothing (CTS-04, CLM-05)', async ({ store }) => {
    await store.admit(admission({ submissionId: 's1' }));
    expect(await store.claim('never', claimOptions())).toEqual([]);
    await store.beat(owner('o1'), { leaseMs: 5000, retire: [{ ownerId: 'o1' }] });
    expect(await store.claim('o1', claimOptions())).toEqual([]);
    expect((await store.submission('s1'))?.attempts).toBe(0);
  });

  scenario('heads are taken oldest first, up to the limit (CTS-04, QUE-05)', async ({ store, clock }) => {
    for (const i of [3, 1, 4, 2, 5]) {
      clock.now += 1;
      await store.admit(admission({ submissionId: `s${i}`, path: `agents/orders/${i}` }));
    }
    await beat(store, 'o1');
    const first = await store.claim('o1', claimOptions({ limit: 2 }));
    const rest = await store.claim('o1', claimOptions({ limit: 10 }));
    expect([...first, ...rest].map((claim) => claim.row.submissionId)).toEqual([
      's3',
      's1',
      's4',
      's2',
      's5',
    ]);
    expect(first.length).toBe(2);
  });

  scenario(
    'interrupted and waiting heads share one order and one limit (CTS-04, QUE-05)',
    async ({ store }) => {
      for (const id of ['s1', 's2'])
        await store.admit(admission({ submissionId: id, path: `agents/orders/${id}` }));
      await beat(store, 'o1');
      await store.claim('o1', claimOptions({ limit: 1 }));
      await beat(store, 'o2');
      const claims = await store.claim('o2', claimOptions({ limit: 1, dead: ['o1'] }));
      expect(claims.map((claim) => claim.row.submissionId)).toEqual(['s1']);
    },
  );

  scenario('rows joined to a host stay joined through a takeover (CTS-04, CLM-02)', async ({ store }) => {
    const claim = await claimOne(store, 'o1', 's1');
    await store.admit(admission({ submissionId: 's2' }));
    await store.admit(admission({ submissionId: 's3' }));
    const rows = [{ submissionId: 's2', to: 'joined', host: 's1' }] as const;
    await store.commit(fenceOf(claim, 'o1'), commit(1, { rows }));
    await beat(store, 'o2');
    const taken = await claimHead(store, 'o2', { dead: ['o1'] });
    expect(taken.row.submissionId).toBe('s1');
    expect(taken.joined.map((row) => [row.submissionId, row.host])).toEqual([['s2', 's1']]);
    expect(taken.view.rows.map((row) => row.status)).toEqual(['running', 'joined', 'queued']);
  });
}
