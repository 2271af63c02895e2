import {
  admission,
  beat,
  claimHead,
  claimOptions,
  commit,
  fenceOf,
  owner,
  PATH,
  rejection,
} from './givens.ts';
import type { Suite } from './target.ts';

/** CTS-01, the part that every adapter shares; stamps and migrations are tested beside each adapter. */
export function lifecycleScenarios({ scenario, durableScenario, expect }: Suite): void {
  scenario('migrating again changes nothing (CTS-01, ADP-02)', async ({ adapter, store }) => {
    await store.admit(admission({ submissionId: 's1' }));
    await adapter.migrate?.();
    const again = await adapter.connect();
    expect((await again.submission('s1'))?.status).toBe('queued');
  });

  scenario(
    'every call after close rejects with reason closed, and closing again is quiet (CTS-01, ADP-04)',
    async (f) => {
      const { adapter, store } = f;
      await adapter.close?.();
      await adapter.close?.();
      const fence = { path: PATH, ownerId: 'o1', epoch: 1 };
      const calls = [
        () => store.beat(owner('o1'), { leaseMs: 1000 }),
        () => store.admit(admission({ submissionId: 's1' })),
        () => store.claim('o1', claimOptions()),
        () => store.commit(fence, commit(1)),
        () => store.abort(PATH),
        () => store.load(PATH),
        () => store.submission('s1'),
        () => store.read(PATH, {}),
        () => store.attachment(PATH, 'a'),
      ];
      for (const call of calls) {
        const error = await rejection(call());
        expect([error.type, error.meta?.reason]).toEqual(['persistence_failure', 'closed']);
      }
    },
  );

  scenario('what was asked before close is finished by it (ADP-04, SQL-14)', async ({ adapter, store }) => {
    const admitted = store.admit(admission({ submissionId: 's1' }));
    await adapter.close?.();
    expect((await admitted).kind).toBe('admitted');
  });

  scenario(
    'two connections that migrate at once agree on one store (CTS-01, VER-04)',
    async ({ store, second }) => {
      const [a, b] = await Promise.all([second(), second()]);
      await a.admit(admission({ submissionId: 's1' }));
      expect((await b.submission('s1'))?.submissionId).toBe('s1');
      expect((await store.submission('s1'))?.submissionId).toBe('s1');
    },
  );

  durableScenario('everything is there after a restart (CTS-01, SUB-06)', async ({ store, restart }) => {
    await store.admit(admission({ submissionId: 's1' }));
    await beat(store, 'o1');
    const claim = await claimHead(store, 'o1');
    await store.commit(fenceOf(claim, 'o1'), commit(1, { rows: [{ submissionId: 's1', to: 'running' }] }));
    const before = { view: await store.load(PATH), stream: await store.read(PATH, {}) };
    const reopened = await restart();
    expect({ view: await reopened.load(PATH), stream: await reopened.read(PATH, {}) }).toEqual(before);
  });
}
