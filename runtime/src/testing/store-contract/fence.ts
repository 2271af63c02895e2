import type { Commit, FlueStore } from '../../ports/store.ts';
import {
  admission,
  attachment,
  beat,
  claimHead,
  claimOne,
  commit,
  fenceOf,
  observe,
  owner,
  PATH,
  rejection,
} from './givens.ts';
import type { Suite } from './target.ts';

/** Every kind of part that a commit can carry. */
function everyPart(seq: number, draft: string): Record<string, Commit> {
  return {
    records: commit(seq),
    draft: commit(seq, { class: 'draft' }),
    running: commit(seq, { rows: [{ submissionId: 's1', to: 'running' }] }),
    joined: commit(seq, { rows: [{ submissionId: 's2', to: 'joined', host: 's1' }] }),
    settled: commit(seq, {
      rows: [{ submissionId: 's1', to: 'settled', outcome: 'failed', error: { message: 'x' } }],
    }),
    queued: commit(seq, { rows: [{ submissionId: 's1', to: 'queued', refund: true }], release: true }),
    attachments: commit(seq, { attachments: [attachment('late', new Uint8Array([1]))] }),
    checkpoint: commit(seq, { checkpoint: { foldFormat: 1, data: '{"late":true}' } }),
    reclaim: commit(seq, { reclaim: [draft] }),
    release: commit(seq, { release: true }),
  };
}

/** CTS-05. */
export function fenceScenarios({ scenario, expect }: Suite): void {
  async function refusesEveryPart(
    store: FlueStore,
    epoch: number,
    draft: string,
    seq: number,
  ): Promise<void> {
    const before = await observe(store, ['s1', 's2']);
    for (const [part, stale] of Object.entries(everyPart(seq, draft))) {
      const error = await rejection(store.commit({ path: PATH, ownerId: 'o1', epoch }, stale));
      expect([part, error.type, error.meta]).toEqual([part, 'ownership_lost', { path: PATH, epoch }]);
      expect([part, await observe(store, ['s1', 's2'])]).toEqual([part, before]);
      expect(await store.attachment(PATH, 'late')).toBe(null);
    }
  }

  scenario(
    'after a takeover no part of a commit of the old epoch is applied (CTS-05, OWN-02, CMT-01)',
    async ({ store }) => {
      const claim = await claimOne(store, 'o1', 's1');
      await store.admit(admission({ submissionId: 's2' }));
      const { offset } = await store.commit(fenceOf(claim, 'o1'), commit(1, { class: 'draft' }));
      await beat(store, 'o2');
      await claimHead(store, 'o2', { dead: ['o1'] });
      await refusesEveryPart(store, claim.epoch, offset, 2);
      await refusesEveryPart(store, claim.epoch, offset, 1);
    },
  );

  scenario(
    'a retired owner writes nothing, even under the current epoch (CTS-05, BEA-03)',
    async ({ store }) => {
      const claim = await claimOne(store, 'o1', 's1');
      await store.admit(admission({ submissionId: 's2' }));
      const { offset } = await store.commit(fenceOf(claim, 'o1'), commit(1, { class: 'draft' }));
      await store.beat(owner('o2'), { leaseMs: 5000, retire: [{ ownerId: 'o1' }] });
      await refusesEveryPart(store, claim.epoch, offset, 2);
    },
  );

  scenario('a claim of oneself fences the earlier attempt (CTS-05, OWN-01)', async ({ store }) => {
    const first = await claimOne(store, 'o1', 's1');
    await claimHead(store, 'o1', { paths: [PATH] });
    expect((await rejection(store.commit(fenceOf(first, 'o1'), commit(1)))).type).toBe('ownership_lost');
  });

  scenario('neither another owner nor an epoch of the future writes (CTS-05, CMT-01)', async ({ store }) => {
    const { epoch } = await claimOne(store, 'o1', 's1');
    await beat(store, 'o2');
    for (const fence of [
      { path: PATH, ownerId: 'o2', epoch },
      { path: PATH, ownerId: 'o1', epoch: epoch + 1 },
      { path: 'agents/orders/unknown', ownerId: 'o1', epoch },
    ]) {
      expect((await rejection(store.commit(fence, commit(1)))).type).toBe('ownership_lost');
    }
  });

  scenario(
    'reads, admissions and aborts leave owner, epoch and count alone (CTS-05, OWN-04)',
    async ({ store }) => {
      const claim = await claimOne(store, 'o1', 's1');
      const fence = fenceOf(claim, 'o1');
      await store.commit(fence, commit(1));
      await store.admit(admission({ submissionId: 's2' }));
      await store.abort(PATH);
      await observe(store, ['s1', 's2']);
      expect((await store.load(PATH))?.instance).toMatchObject({ epoch: claim.epoch, ownerId: 'o1' });
      const { offset } = await store.commit(fence, commit(2));
      const batches = (await store.read(PATH, {})).batches;
      expect(batches.map((batch) => batch.seq)).toEqual([0, 1, 0, 2]);
      expect(batches.at(-1)?.offset).toBe(offset);
    },
  );

  scenario('release and settling the head end ownership (CMT-07)', async ({ store }) => {
    const first = await claimOne(store, 'o1', 's1');
    const rows = [{ submissionId: 's1', to: 'queued', refund: false }] as const;
    await store.commit(fenceOf(first, 'o1'), commit(1, { rows, release: true }));
    expect((await store.load(PATH))?.instance.ownerId).toBeUndefined();
    expect((await rejection(store.commit(fenceOf(first, 'o1'), commit(2)))).type).toBe('ownership_lost');

    const second = await claimHead(store, 'o1');
    expect(second.row.attempts).toBe(2);
    const settled = [{ submissionId: 's1', to: 'settled', outcome: 'completed' }] as const;
    await store.commit(fenceOf(second, 'o1'), commit(1, { rows: settled }));
    expect((await store.load(PATH))?.instance.ownerId).toBeUndefined();
    expect((await rejection(store.commit(fenceOf(second, 'o1'), commit(2)))).type).toBe('ownership_lost');
  });
}
