import type { FlueStore } from '../../ports/store.ts';
import {
  admission,
  attachment,
  beat,
  claimHead,
  commit,
  fenceOf,
  observe,
  PATH,
  rejection,
} from './givens.ts';
import type { Suite } from './target.ts';

const UID = `uid of ${PATH}`;

/** RET-02, for a store that offers erasure; without it there is nothing to keep. */
export function erasureScenarios({ scenario, expect }: Suite): void {
  async function settledInstance(store: FlueStore): Promise<void> {
    const large = 'x'.repeat(10_000);
    await store.admit(
      admission({ submissionId: 's1', payload: large, attachments: [attachment('a', new Uint8Array([1]))] }),
    );
    await beat(store, 'o1');
    const fence = fenceOf(await claimHead(store, 'o1'), 'o1');
    const rows = [{ submissionId: 's1', to: 'settled', outcome: 'completed' }] as const;
    await store.commit(fence, commit(1, { rows, checkpoint: { foldFormat: 1, data: '{}' } }));
  }

  scenario(
    'erasure removes one incarnation whole, and a later send starts anew (RET-02, STR-05)',
    async ({ store }) => {
      if (!store.erase) return;
      await settledInstance(store);
      await store.admit(admission({ submissionId: 'other', path: 'agents/orders/other' }));
      const other = await observe(store, ['other'], 'agents/orders/other');
      await store.erase(PATH, UID);
      const { view, stream, rows } = await observe(store, ['s1']);
      expect([view, stream.batches.length, rows]).toEqual([null, 0, [null]]);
      expect(await store.attachment(PATH, 'a')).toBe(null);
      expect(await observe(store, ['other'], 'agents/orders/other')).toEqual(other);

      const create = { uid: 'second uid', incarnation: 'inc_second', birth: '{}' };
      expect(await store.admit(admission({ submissionId: 's1', create }))).toMatchObject({
        kind: 'admitted',
        created: true,
      });
      expect(await store.load(PATH)).toMatchObject({
        instance: { uid: 'second uid', incarnation: 'inc_second', epoch: 0 },
        checkpoint: null,
      });
      expect(await store.attachment(PATH, 'a')).toBe(null);
    },
  );

  scenario('unsettled work keeps its instance (RET-02)', async ({ store }) => {
    if (!store.erase) return;
    await settledInstance(store);
    await store.admit(admission({ submissionId: 's2' }));
    const before = await observe(store, ['s1', 's2']);
    expect((await rejection(store.erase(PATH, UID))).meta?.reason).toBe('unsettled_work');
    expect(await observe(store, ['s1', 's2'])).toEqual(before);
  });

  scenario('another incarnation is left alone (RET-02)', async ({ store }) => {
    if (!store.erase) return;
    await settledInstance(store);
    const before = await observe(store, ['s1']);
    await store.erase(PATH, 'an earlier uid');
    await store.erase('agents/orders/unknown', UID);
    expect(await observe(store, ['s1'])).toEqual(before);
  });
}
