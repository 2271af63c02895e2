import type { FlueStore, WatchHint } from '../../ports/store.ts';
import { admission, beat, claimHead, commit, fenceOf, PATH } from './givens.ts';
import type { Suite } from './target.ts';

/** How long a hint across connections may take: a notifying store's, or one poll of a waiting reader (PGA-07, SQL-08). */
const REMOTE_MS = 5000;

/** CTS-15. */
export function notificationScenarios({ scenario, expect }: Suite): void {
  function nextHint(store: FlueStore): Promise<WatchHint> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no hint arrived')), REMOTE_MS);
      const stop = store.watch((hint) => {
        clearTimeout(timer);
        stop();
        resolve(hint);
      });
    });
  }

  scenario('each change is hinted in its own process (CTS-15, QRY-07, ADM-05)', async ({ store }) => {
    const hints: WatchHint[] = [];
    store.watch((hint) => hints.push(hint));
    const hintedBy = async (change: () => Promise<unknown>) => {
      hints.length = 0;
      await change();
      return hints.some((hint) => hint === 'any' || hint.path === PATH);
    };
    expect(await hintedBy(() => store.admit(admission({ submissionId: 's1' })))).toBe(true);
    await beat(store, 'o1');
    const fence = fenceOf(await claimHead(store, 'o1'), 'o1');
    expect(await hintedBy(() => store.commit(fence, commit(1)))).toBe(true);
    expect(await hintedBy(() => store.abort(PATH))).toBe(true);
    const release = { ownerId: 'o1', runtimeStart: 1, agents: [] };
    expect(await hintedBy(() => store.beat(release, { leaseMs: 1000, retire: [{ ownerId: 'o1' }] }))).toBe(
      true,
    );
  });

  scenario('a hinted reader sees the change (CTS-15, ADM-05)', async ({ store }) => {
    let seen: Promise<unknown> | undefined;
    store.watch(() => {
      seen ??= store.submission('s1');
    });
    await store.admit(admission({ submissionId: 's1' }));
    expect(await seen).toMatchObject({ submissionId: 's1' });
  });

  scenario(
    'a listener that throws disturbs neither the write nor the others (CTS-15, QRY-07)',
    async ({ store }) => {
      let heard = 0;
      store.watch(() => {
        throw new Error('a faulty listener');
      });
      store.watch(() => {
        heard++;
      });
      expect((await store.admit(admission({ submissionId: 's1' }))).kind).toBe('admitted');
      expect(heard).toBe(1);
    },
  );

  scenario('a stopped listener hears nothing more (CTS-15)', async ({ store }) => {
    let heard = 0;
    const listener = () => {
      heard++;
    };
    const stop = store.watch(listener);
    store.watch(listener);
    await store.admit(admission({ submissionId: 's1' }));
    stop();
    await store.admit(admission({ submissionId: 's2' }));
    expect(heard).toBe(3);
  });

  scenario('a change over another connection is hinted too (CTS-15, SQL-08)', async ({ store, second }) => {
    const other = await second();
    const hint = nextHint(store);
    await other.admit(admission({ submissionId: 's1' }));
    const heard = await hint;
    expect(heard === 'any' || heard.path === PATH).toBe(true);
  });

  scenario(
    'nothing depends on hints: without a listener all work is found (CTS-15, QRY-07)',
    async ({ store, second }) => {
      const other = await second();
      await other.admit(admission({ submissionId: 's1' }));
      await beat(store, 'o1');
      const fence = fenceOf(await claimHead(store, 'o1'), 'o1');
      const rows = [{ submissionId: 's1', to: 'settled', outcome: 'completed' }] as const;
      await store.commit(fence, commit(1, { rows }));
      expect((await other.submission('s1'))?.outcome).toBe('completed');
    },
  );
}
