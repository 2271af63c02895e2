import type { Commit } from '../../ports/store.ts';
import {
  admission,
  attachment,
  beat,
  body,
  claimOne,
  claimOptions,
  commit,
  fenceOf,
  observe,
  PATH,
  rejection,
} from './givens.ts';
import type { Suite } from './target.ts';

/** CTS-06, the part that needs no killed process. */
export function commitScenarios({ scenario, expect }: Suite): void {
  scenario('all parts of a commit stand together (CTS-06, CMT-02, CMT-06)', async ({ store, clock }) => {
    const claim = await claimOne(store, 'o1', 's1');
    const fence = fenceOf(claim, 'o1');
    const draft = await store.commit(fence, commit(1, { class: 'draft' }));
    clock.now += 10;
    const result = await store.commit(
      fence,
      commit(2, {
        records: [body('assistant_message'), body('submission_settled')],
        rows: [
          {
            submissionId: 's1',
            to: 'settled',
            outcome: 'failed',
            error: { name: 'E', message: 'why', type: 't' },
          },
        ],
        attachments: [attachment('a', new Uint8Array([7]))],
        checkpoint: { foldFormat: 3, data: '{"state":1}' },
        reclaim: [draft.offset],
      }),
    );
    const { view, stream, rows } = await observe(store, ['s1']);
    expect(stream.batches.map((batch) => batch.offset)).toEqual([claim.row.admittedOffset, result.offset]);
    expect(stream.batches[1]).toMatchObject({ epoch: 1, seq: 2, class: 'durable' });
    expect(view?.checkpoint).toMatchObject({ offset: result.offset, foldFormat: 3, data: '{"state":1}' });
    expect(view?.rows).toEqual([]);
    expect(rows[0]).toMatchObject({
      status: 'settled',
      outcome: 'failed',
      error: { name: 'E', message: 'why', type: 't' },
      settledOffset: result.offset,
      settledAt: clock.now,
    });
    expect((await store.attachment(PATH, 'a'))?.ref.size).toBe(1);
  });

  scenario('a part that fails takes all others with it (CTS-06, CMT-02)', async ({ store }) => {
    const bytes = new Uint8Array([1]);
    const claim = await claimOne(store, 'o1', 's1');
    const fence = fenceOf(claim, 'o1');
    await store.commit(fence, commit(1, { attachments: [attachment('taken', bytes)] }));
    const draft = await store.commit(fence, commit(2, { class: 'draft' }));
    const good: Partial<Commit> = {
      attachments: [attachment('fresh', bytes)],
      checkpoint: { foldFormat: 1, data: '{}' },
      reclaim: [draft.offset],
      rows: [{ submissionId: 's1', to: 'settled', outcome: 'completed' }],
    };
    const faults: Record<string, Partial<Commit>> = {
      attachment_conflict: {
        attachments: [...(good.attachments ?? []), attachment('taken', new Uint8Array([2]))],
      },
      attachment_integrity: { attachments: [{ ...attachment('fresh', bytes), size: 2 }] },
      conversation_stream_store_failure: {
        rows: [...(good.rows ?? []), { submissionId: 'none', to: 'running' }],
      },
      record_too_large: { records: ['x'.repeat(13 * 1024 * 1024)] },
    };
    const before = await observe(store, ['s1']);
    for (const [type, fault] of Object.entries(faults)) {
      const error = await rejection(store.commit(fence, commit(3, { ...good, ...fault })));
      expect(error.type).toBe(type);
      expect([type, await observe(store, ['s1'])]).toEqual([type, before]);
      expect(await store.attachment(PATH, 'fresh')).toBe(null);
    }
    const { offset } = await store.commit(fence, commit(3, good));
    expect((await store.submission('s1'))?.settledOffset).toBe(offset);
  });

  scenario('the last batch once more gets the first answer (CTS-06, CMT-03)', async ({ store }) => {
    const fence = fenceOf(await claimOne(store, 'o1', 's1'), 'o1');
    const running = commit(1, { rows: [{ submissionId: 's1', to: 'running' }] });
    const first = await store.commit(fence, running);
    await store.admit(admission({ submissionId: 's2' }));
    const before = await observe(store, ['s1', 's2']);
    expect(await store.commit(fence, running)).toEqual({ ...first, queued: true });
    expect(await observe(store, ['s1', 's2'])).toEqual(before);
  });

  scenario(
    'a settlement is repeated safely although it ended ownership (CTS-06, CMT-03)',
    async ({ store }) => {
      const fence = fenceOf(await claimOne(store, 'o1', 's1'), 'o1');
      const settle = commit(1, { rows: [{ submissionId: 's1', to: 'settled', outcome: 'completed' }] });
      const first = await store.commit(fence, settle);
      const before = await observe(store, ['s1']);
      expect(await store.commit(fence, settle)).toEqual(first);
      expect(await observe(store, ['s1'])).toEqual(before);
    },
  );

  scenario('a differing repeat, a gap and an older batch are refused (CTS-06, CMT-03)', async ({ store }) => {
    const fence = fenceOf(await claimOne(store, 'o1', 's1'), 'o1');
    await store.commit(fence, commit(1));
    await store.commit(fence, commit(2, { rows: [{ submissionId: 's1', to: 'running' }] }));
    const before = await observe(store, ['s1']);
    const refused: [Commit, string][] = [
      [commit(2, { records: [body('other')] }), 'sequence_conflict'],
      [commit(2, { class: 'draft' }), 'sequence_conflict'],
      [commit(2, { records: [...commit(2).records, body('more')] }), 'sequence_conflict'],
      [
        commit(2, { rows: [{ submissionId: 's1', to: 'settled', outcome: 'completed' }] }),
        'sequence_conflict',
      ],
      [commit(1), 'sequence_gap'],
      [commit(4), 'sequence_gap'],
      [commit(0), 'sequence_gap'],
    ];
    for (const [c, reason] of refused) {
      const error = await rejection(store.commit(fence, c));
      expect(error).toMatchObject({
        type: 'conversation_stream_store_failure',
        meta: { operation: 'commit', path: PATH, reason },
      });
      expect(await observe(store, ['s1'])).toEqual(before);
    }
  });

  scenario(
    'an owner learns of aborts and of waiting work from its commits (CMT-08)',
    async ({ store, clock }) => {
      const fence = fenceOf(await claimOne(store, 'o1', 's1'), 'o1');
      expect(await store.commit(fence, commit(1))).toMatchObject({ queued: false });
      await store.admit(admission({ submissionId: 's2' }));
      const second = await store.commit(fence, commit(2));
      expect([second.queued, second.abortRequestedAt]).toEqual([true, undefined]);
      clock.now += 5;
      await store.abort(PATH, { submissionId: 's1' });
      expect((await store.commit(fence, commit(3))).abortRequestedAt).toBe(clock.now);
    },
  );

  scenario('many owners commit in one turn, each with its own answer (SQL-05)', async ({ store }) => {
    const paths = Array.from({ length: 40 }, (_, i) => `agents/orders/${i}`);
    await Promise.all(paths.map((path, i) => store.admit(admission({ path, submissionId: `s${i}` }))));
    await beat(store, 'o1');
    const claims = await store.claim('o1', claimOptions());
    const settled = await Promise.allSettled(
      claims.map((claim, i) => store.commit(fenceOf(claim, 'o1'), commit(i % 4 === 0 ? 2 : 1))),
    );
    const expected = claims.map((_, i) => (i % 4 === 0 ? 'rejected' : 'fulfilled'));
    expect(settled.map((result) => result.status)).toEqual(expected);
    const lengths = await Promise.all(
      claims.map(async (claim) => (await store.read(claim.path, {})).batches.length),
    );
    expect(lengths).toEqual(expected.map((status) => (status === 'fulfilled' ? 2 : 1)));
  });
}
