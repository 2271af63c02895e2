import { admission, claimOne, commit, fenceOf, observe, PATH } from './givens.ts';
import type { Suite } from './target.ts';

/** CTS-08. */
export function abortScenarios({ scenario, expect }: Suite): void {
  scenario(
    'an instance abort stamps what is unsettled and nothing else (CTS-08, QRY-01)',
    async ({ store, clock }) => {
      const fence = fenceOf(await claimOne(store, 'o1', 's1'), 'o1');
      for (const submissionId of ['s2', 's3', 's4']) await store.admit(admission({ submissionId }));
      await store.admit(admission({ submissionId: 'elsewhere', path: 'agents/orders/other' }));
      await store.commit(fence, commit(1, { rows: [{ submissionId: 's2', to: 'joined', host: 's1' }] }));
      await store.commit(
        fence,
        commit(2, { rows: [{ submissionId: 's4', to: 'settled', outcome: 'completed' }] }),
      );
      const before = await observe(store, ['s1', 's2', 's3', 's4']);

      expect((await store.abort(PATH)).affected.sort()).toEqual(['s1', 's2', 's3']);
      const after = await observe(store, ['s1', 's2', 's3', 's4']);
      const stamped = before.rows.map((row) =>
        row?.status === 'settled' ? row : { ...row, abortRequestedAt: clock.now },
      );
      expect(after.rows).toEqual(stamped);
      expect(after.stream).toEqual(before.stream);
      expect(after.view?.instance).toEqual(before.view?.instance);
      expect((await store.submission('elsewhere'))?.abortRequestedAt).toBeUndefined();
    },
  );

  scenario(
    'the first stamp stays, and later work is unaffected (CTS-08, ABT-01)',
    async ({ store, clock }) => {
      await store.admit(admission({ submissionId: 's1' }));
      const first = clock.now;
      await store.abort(PATH);
      clock.now += 1000;
      await store.admit(admission({ submissionId: 's2' }));
      expect((await store.submission('s2'))?.abortRequestedAt).toBeUndefined();
      expect(await store.abort(PATH, { submissionId: 's1' })).toEqual({ affected: ['s1'] });
      expect((await store.submission('s1'))?.abortRequestedAt).toBe(first);
    },
  );

  scenario('one submission is stamped when it is queued or running (CTS-08, ABT-06)', async ({ store }) => {
    const fence = fenceOf(await claimOne(store, 'o1', 's1'), 'o1');
    for (const submissionId of ['s2', 's3', 's4']) await store.admit(admission({ submissionId }));
    await store.commit(fence, commit(1, { rows: [{ submissionId: 's2', to: 'joined', host: 's1' }] }));
    await store.commit(
      fence,
      commit(2, { rows: [{ submissionId: 's4', to: 'settled', outcome: 'completed' }] }),
    );
    const affected = (submissionId: string, path = PATH) =>
      store.abort(path, { submissionId }).then((r) => r.affected);
    expect(await affected('s1')).toEqual(['s1']);
    expect(await affected('s2')).toEqual([]);
    expect(await affected('s3')).toEqual(['s3']);
    expect(await affected('s4')).toEqual([]);
    expect(await affected('unknown')).toEqual([]);
    expect(await affected('s3', 'agents/orders/other')).toEqual([]);
    expect((await store.submission('s2'))?.abortRequestedAt).toBeUndefined();
  });

  scenario('an unknown path affects nothing (CTS-08)', async ({ store }) => {
    expect(await store.abort('agents/orders/unknown')).toEqual({ affected: [] });
    expect(await store.load('agents/orders/unknown')).toBe(null);
  });
}
