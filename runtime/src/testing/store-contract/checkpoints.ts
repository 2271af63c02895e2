import { claimOne, commit, fenceOf, PATH, rejection } from './givens.ts';
import type { Suite } from './target.ts';

/** CTS-11. A torn checkpoint is the fold's to recognize (CKP-01); the store returns its text as written. */
export function checkpointScenarios({ scenario, expect }: Suite): void {
  const checkpoint = (data: string) => ({ checkpoint: { foldFormat: 1, data } });

  scenario('there is none before the first, then the newest (CTS-11, CKP-02)', async ({ store }) => {
    const claim = await claimOne(store, 'o1', 's1');
    const fence = fenceOf(claim, 'o1');
    expect((await store.load(PATH))?.checkpoint).toBe(null);
    await store.commit(fence, commit(1, checkpoint('one \ud83d\ude00')));
    const second = await store.commit(fence, commit(2, checkpoint('two \ud800')));
    await store.commit(fence, commit(3));
    expect((await store.load(PATH))?.checkpoint).toEqual({
      offset: second.offset,
      incarnation: claim.view.instance.incarnation,
      foldFormat: 1,
      data: 'two \ud800',
    });
  });

  scenario(
    'a load at an earlier offset does not see a later checkpoint (CTS-11, QRY-02)',
    async ({ store }) => {
      const fence = fenceOf(await claimOne(store, 'o1', 's1'), 'o1');
      const before = await store.commit(fence, commit(1));
      const at = await store.commit(fence, commit(2, checkpoint('two')));
      await store.commit(fence, commit(3));
      expect((await store.load(PATH, { atOrBefore: before.offset }))?.checkpoint).toBe(null);
      expect((await store.load(PATH, { atOrBefore: at.offset }))?.checkpoint?.data).toBe('two');
      expect((await rejection(store.load(PATH, { atOrBefore: 'nonsense' }))).meta?.reason).toBe(
        'invalid_offset',
      );
    },
  );

  scenario('a refused commit leaves the earlier checkpoint (CTS-11, CKP-03)', async ({ store }) => {
    const fence = fenceOf(await claimOne(store, 'o1', 's1'), 'o1');
    await store.commit(fence, commit(1, checkpoint('one')));
    const rows = [{ submissionId: 'unknown', to: 'running' }] as const;
    await rejection(store.commit(fence, commit(2, { rows, ...checkpoint('two') })));
    expect((await store.load(PATH))?.checkpoint?.data).toBe('one');
  });

  scenario('a claim hands over the checkpoint (CLM-04, CKP-05)', async ({ store }) => {
    const fence = fenceOf(await claimOne(store, 'o1', 's1'), 'o1');
    await store.commit(fence, commit(1, checkpoint('one')));
    const [claim] = await store.claim('o1', {
      agents: ['orders'],
      limit: 1,
      dead: [],
      alive: [],
      hungOwnerMs: 1e9,
      paths: [PATH],
    });
    expect(claim?.view.checkpoint?.data).toBe('one');
  });
}
