import type { FlueStore } from '../../ports/store.ts';
import {
  admission,
  attachment,
  beat,
  claimHead,
  claimOptions,
  commit,
  fenceOf,
  observe,
  rejection,
} from './givens.ts';
import type { Suite } from './target.ts';

const OLD = 'agents/orders/a/b';
const NEW = 'agents/sales/a/b';

/** RET-04, for a store that offers renaming. */
export function renamingScenarios({ scenario, expect }: Suite): void {
  async function oneSettledOneRunning(store: FlueStore) {
    const photo = attachment('a', new Uint8Array([1]));
    await store.admit(admission({ submissionId: 's1', path: OLD, attachments: [photo] }));
    await beat(store, 'o1');
    const settled = [{ submissionId: 's1', to: 'settled', outcome: 'completed' }] as const;
    const first = fenceOf(await claimHead(store, 'o1'), 'o1');
    await store.commit(first, commit(1, { rows: settled, checkpoint: { foldFormat: 1, data: '{}' } }));
    await store.admit(admission({ submissionId: 's2', path: OLD }));
    return fenceOf(await claimHead(store, 'o1'), 'o1');
  }

  scenario('renaming moves every instance of an identity whole (RET-04)', async ({ store }) => {
    if (!store.rename) return;
    await oneSettledOneRunning(store);
    await store.admit(admission({ submissionId: 'x', path: 'agents/orders/2' }));
    await store.admit(admission({ submissionId: 'y', path: 'agents/orders-eu/2' }));
    const before = await observe(store, ['s1', 's2'], OLD);
    expect(await store.rename('orders', 'sales')).toEqual({ moved: 2 });

    const after = await observe(store, ['s1', 's2'], NEW);
    expect(after.stream).toEqual(before.stream);
    expect(after.rows).toEqual(before.rows.map((row) => ({ ...row, path: NEW })));
    expect(after.view?.checkpoint).toEqual(before.view?.checkpoint);
    expect(after.view?.instance.uid).toBe(before.view?.instance.uid);
    expect((await store.attachment(NEW, 'a'))?.bytes).toEqual(new Uint8Array([1]));
    expect(await store.load(OLD)).toBe(null);
    expect((await store.load('agents/sales/2'))?.rows.length).toBe(1);
    expect((await store.load('agents/orders-eu/2'))?.rows.length).toBe(1);
  });

  scenario(
    'its open work goes on under the new identity, and the old owner is fenced (RET-04)',
    async ({ store }) => {
      if (!store.rename) return;
      const fence = await oneSettledOneRunning(store);
      await store.rename('orders', 'sales');
      expect((await rejection(store.commit(fence, commit(1)))).type).toBe('ownership_lost');
      expect((await rejection(store.commit({ ...fence, path: NEW }, commit(1)))).type).toBe('ownership_lost');
      await beat(store, 'o2');
      const claims = await store.claim('o2', claimOptions({ agents: ['sales'] }));
      expect(claims.map(({ path, epoch, row }) => [path, epoch, row.submissionId])).toEqual([
        [NEW, fence.epoch + 1, 's2'],
      ]);
    },
  );

  scenario(
    'it refuses a target that exists, before anything moves, and can be repeated (RET-04)',
    async ({ store }) => {
      if (!store.rename) return;
      await store.admit(admission({ submissionId: 's1', path: 'agents/orders/1' }));
      await store.admit(admission({ submissionId: 's2', path: 'agents/orders/2' }));
      await store.admit(admission({ submissionId: 's3', path: 'agents/sales/2' }));
      expect((await rejection(store.rename('orders', 'sales'))).meta?.reason).toBe('target_exists');
      expect(await store.load('agents/sales/1')).toBe(null);
      expect(await store.rename('sales', 'shops')).toEqual({ moved: 1 });
      expect(await store.rename('orders', 'sales')).toEqual({ moved: 2 });
      expect(await store.rename('orders', 'sales')).toEqual({ moved: 0 });
    },
  );
}
