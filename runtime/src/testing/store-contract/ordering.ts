import { admission, beat, claimHead, claimOptions, commit, fenceOf, PATH } from './givens.ts';
import type { Suite } from './target.ts';

/** CTS-03. */
export function orderingScenarios({ scenario, durableScenario, expect }: Suite): void {
  scenario('an instance has one head, its oldest unsettled row (CTS-03, QUE-01)', async ({ store }) => {
    for (const submissionId of ['s1', 's2', 's3']) await store.admit(admission({ submissionId }));
    await beat(store, 'o1');
    const order: string[] = [];
    for (let i = 0; i < 3; i++) {
      const claim = await claimHead(store, 'o1');
      expect(await store.claim('o1', claimOptions())).toEqual([]);
      order.push(claim.row.submissionId);
      const rows = [{ submissionId: claim.row.submissionId, to: 'settled', outcome: 'completed' }] as const;
      await store.commit(fenceOf(claim, 'o1'), commit(1, { rows }));
    }
    expect(order).toEqual(['s1', 's2', 's3']);
    expect(await store.claim('o1', claimOptions())).toEqual([]);
  });

  scenario(
    'the order is that of admission, whatever the clocks of the senders say (CTS-03, QUE-02)',
    async (f) => {
      const { store, clock } = f;
      await store.admit(admission({ submissionId: 'late', acceptedAt: '2030-01-01T00:00:00.000Z' }));
      clock.now -= 3_600_000;
      await store.admit(admission({ submissionId: 'early', acceptedAt: '2020-01-01T00:00:00.000Z' }));
      expect((await store.load(PATH))?.rows.map((row) => [row.submissionId, row.seq])).toEqual([
        ['late', 1],
        ['early', 2],
      ]);
      await beat(store, 'o1');
      expect((await claimHead(store, 'o1')).row.submissionId).toBe('late');
    },
  );

  scenario('one id under two agents is two instances (CTS-03, QUE-03)', async ({ store }) => {
    await store.admit(admission({ submissionId: 's1', path: 'agents/orders/7' }));
    await store.admit(admission({ submissionId: 's2', path: 'agents/refunds/7' }));
    await beat(store, 'o1', ['orders', 'refunds']);
    const claims = await store.claim('o1', claimOptions({ agents: ['orders', 'refunds'] }));
    expect(claims.map((claim) => claim.path)).toEqual(['agents/orders/7', 'agents/refunds/7']);
  });

  scenario('an instance id may hold slashes (PRM-03)', async ({ store }) => {
    const path = 'agents/orders/a/b//c';
    await store.admit(admission({ submissionId: 's1', path }));
    await beat(store, 'o1');
    expect((await claimHead(store, 'o1')).path).toBe(path);
  });

  scenario('requeued work runs ahead of newer work (CTS-03, QUE-04)', async ({ store }) => {
    await store.admit(admission({ submissionId: 's1' }));
    await beat(store, 'o1');
    const fence = fenceOf(await claimHead(store, 'o1'), 'o1');
    await store.admit(admission({ submissionId: 's2' }));
    const rows = [{ submissionId: 's1', to: 'queued', refund: true }] as const;
    await store.commit(fence, commit(1, { rows, release: true }));
    expect((await claimHead(store, 'o1')).row).toMatchObject({ submissionId: 's1', attempts: 1 });
  });

  durableScenario('a restart keeps the order (CTS-03, QUE-04)', async ({ store, restart }) => {
    for (const submissionId of ['s2', 's1', 's3']) await store.admit(admission({ submissionId }));
    const reopened = await restart();
    expect((await reopened.load(PATH))?.rows.map((row) => row.submissionId)).toEqual(['s2', 's1', 's3']);
    await beat(reopened, 'o1');
    expect((await claimHead(reopened, 'o1')).row.submissionId).toBe('s2');
  });
}
