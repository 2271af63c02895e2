import type { FlueStore, RowChange } from '../../ports/store.ts';
import { admission, beat, claimHead, claimOne, commit, fenceOf, observe, PATH, rejection } from './givens.ts';
import type { Suite } from './target.ts';

const IDS = ['s1', 's2', 's3', 's4'];

/** CTS-07 and RCD-42. */
export function rowChangeScenarios({ scenario, expect }: Suite): void {
  /** `s1` runs under `o1`; `s2` to `s4` wait behind it. */
  async function busyInstance(store: FlueStore) {
    const claim = await claimOne(store, 'o1', 's1');
    for (const submissionId of IDS.slice(1)) await store.admit(admission({ submissionId }));
    return fenceOf(claim, 'o1');
  }

  async function statuses(store: FlueStore): Promise<unknown[]> {
    return Promise.all(IDS.map(async (id) => (await store.submission(id))?.status));
  }

  scenario('running stores the input offset once (RCD-42, CMT-06)', async ({ store }) => {
    const fence = await busyInstance(store);
    const rows: RowChange[] = [{ submissionId: 's1', to: 'running' }];
    const first = await store.commit(fence, commit(1, { rows }));
    await store.commit(fence, commit(2, { rows }));
    expect(await store.submission('s1')).toMatchObject({ status: 'running', inputOffset: first.offset });
  });

  scenario('the oldest queued rows join in order, in one commit too (CTS-07, JOI-03)', async ({ store }) => {
    const fence = await busyInstance(store);
    const first = await store.commit(
      fence,
      commit(1, { rows: [{ submissionId: 's2', to: 'joined', host: 's1' }] }),
    );
    const second = await store.commit(
      fence,
      commit(2, {
        rows: [
          { submissionId: 's3', to: 'joined', host: 's1' },
          { submissionId: 's4', to: 'joined', host: 's1' },
        ],
      }),
    );
    expect([first.queued, second.queued]).toEqual([true, false]);
    expect(await statuses(store)).toEqual(['running', 'joined', 'joined', 'joined']);
    expect(await store.submission('s2')).toMatchObject({
      host: 's1',
      inputOffset: first.offset,
      attempts: 0,
    });
  });

  scenario(
    'changes that do not apply refuse the whole commit and show the rows (CTS-07, CMT-04)',
    async ({ store }) => {
      const fence = await busyInstance(store);
      await store.admit(admission({ submissionId: 'elsewhere', path: 'agents/orders/other' }));
      const illegal: Record<string, RowChange[]> = {
        'join out of order': [{ submissionId: 's3', to: 'joined', host: 's1' }],
        'join of the running head': [{ submissionId: 's1', to: 'joined', host: 's1' }],
        'join of another path': [{ submissionId: 'elsewhere', to: 'joined', host: 's1' }],
        'join of an unknown row': [{ submissionId: 'unknown', to: 'joined', host: 's1' }],
        'host that does not run': [{ submissionId: 's2', to: 'joined', host: 's3' }],
        'running that is queued': [{ submissionId: 's2', to: 'running' }],
        'requeue of a queued row': [{ submissionId: 's2', to: 'queued', refund: false }],
        'settlement of another path': [{ submissionId: 'elsewhere', to: 'settled', outcome: 'failed' }],
        'settlement twice in one commit': [
          { submissionId: 's2', to: 'settled', outcome: 'aborted' },
          { submissionId: 's2', to: 'settled', outcome: 'failed' },
        ],
        'a good change before a bad one': [
          { submissionId: 's2', to: 'joined', host: 's1' },
          { submissionId: 's4', to: 'joined', host: 's1' },
        ],
      };
      const before = await observe(store, [...IDS, 'elsewhere']);
      for (const [title, rows] of Object.entries(illegal)) {
        const error = await rejection(store.commit(fence, commit(1, { rows })));
        expect([title, error.type, error.meta?.reason]).toEqual([
          title,
          'conversation_stream_store_failure',
          'row_change',
        ]);
        const shown = (error as { rows?: { submissionId: string }[] }).rows?.map((row) => row.submissionId);
        expect(IDS.every((id) => shown?.includes(id))).toBe(true);
        expect([title, await observe(store, [...IDS, 'elsewhere'])]).toEqual([title, before]);
      }
      await store.commit(fence, commit(1));
    },
  );

  scenario(
    'an abort-stamped row does not join, and nothing behind it does (CTS-07, JOI-03)',
    async ({ store }) => {
      const fence = await busyInstance(store);
      await store.abort(PATH, { submissionId: 's2' });
      for (const submissionId of ['s2', 's3']) {
        const rows: RowChange[] = [{ submissionId, to: 'joined', host: 's1' }];
        expect((await rejection(store.commit(fence, commit(1, { rows })))).meta?.reason).toBe('row_change');
      }
      const settled: RowChange = { submissionId: 's2', to: 'settled', outcome: 'aborted' };
      await store.commit(
        fence,
        commit(1, { rows: [settled, { submissionId: 's3', to: 'joined', host: 's1' }] }),
      );
      expect(await statuses(store)).toEqual(['running', 'settled', 'joined', 'queued']);
    },
  );

  scenario('a host settles with every row that joined it (CTS-07, CMT-05)', async ({ store }) => {
    const fence = await busyInstance(store);
    const joins: RowChange[] = ['s2', 's3'].map((submissionId) => ({
      submissionId,
      to: 'joined',
      host: 's1',
    }));
    await store.commit(fence, commit(1, { rows: joins }));
    const settle = (submissionId: string): RowChange => ({
      submissionId,
      to: 'settled',
      outcome: 'completed',
    });
    const before = await observe(store, IDS);
    for (const rows of [[settle('s1')], [settle('s1'), settle('s2')]]) {
      expect((await rejection(store.commit(fence, commit(2, { rows })))).meta?.reason).toBe('row_change');
      expect(await observe(store, IDS)).toEqual(before);
    }
    await store.commit(fence, commit(2, { rows: [settle('s1'), settle('s2'), settle('s3')] }));
    expect(await statuses(store)).toEqual(['settled', 'settled', 'settled', 'queued']);
    expect((await claimHead(store, 'o1')).row.submissionId).toBe('s4');
  });

  scenario('a queued row settles while its owner goes on (ABT-06, RCD-45)', async ({ store }) => {
    const fence = await busyInstance(store);
    await store.commit(
      fence,
      commit(1, { rows: [{ submissionId: 's3', to: 'settled', outcome: 'completed' }] }),
    );
    expect(await statuses(store)).toEqual(['running', 'queued', 'settled', 'queued']);
    await store.commit(fence, commit(2));
  });

  scenario('a requeue is refunded when it says so (CTS-07, BUD-04)', async ({ store }) => {
    let fence = await busyInstance(store);
    for (const [refund, attempts] of [
      [true, 0],
      [false, 1],
    ] as const) {
      await store.commit(
        fence,
        commit(1, { rows: [{ submissionId: 's1', to: 'queued', refund }], release: true }),
      );
      expect(await store.submission('s1')).toMatchObject({ status: 'queued', attempts });
      fence = fenceOf(await claimHead(store, 'o1'), 'o1');
    }
  });

  scenario('an outcome never changes (CTS-07, SUB-02)', async ({ store }) => {
    const fence = await busyInstance(store);
    await store.commit(
      fence,
      commit(1, { rows: [{ submissionId: 's2', to: 'settled', outcome: 'aborted' }] }),
    );
    const rows: RowChange[] = [{ submissionId: 's2', to: 'settled', outcome: 'completed' }];
    expect((await rejection(store.commit(fence, commit(2, { rows })))).meta?.reason).toBe('row_change');
    expect((await store.submission('s2'))?.outcome).toBe('aborted');
  });

  scenario(
    'of two racing outcomes the current owner writes the one (CTS-07, SUB-02)',
    async ({ store, second }) => {
      const other = await second();
      const stale = await busyInstance(store);
      await beat(other, 'o2');
      const current = fenceOf(await claimHead(other, 'o2', { dead: ['o1'] }), 'o2');
      const settle = (outcome: 'completed' | 'failed') =>
        commit(1, { rows: [{ submissionId: 's1', to: 'settled', outcome }] });
      const [lost, won] = await Promise.allSettled([
        store.commit(stale, settle('failed')),
        other.commit(current, settle('completed')),
      ]);
      expect([lost.status, won.status]).toEqual(['rejected', 'fulfilled']);
      expect((await store.submission('s1'))?.outcome).toBe('completed');
    },
  );
}
