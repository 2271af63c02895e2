import { admission, attachment, beat, body, claimHead, commit, fenceOf, observe, PATH } from './givens.ts';
import type { Suite } from './target.ts';

/** Text that storage likes to mangle: astral characters, a lone surrogate, NUL, the empty string, bare numbers. */
const HARD_TEXTS = [
  '"\u{1f600}\u{10ffff}"',
  '"\ud800"',
  '\udc00x',
  'a\u0000b',
  '',
  '1e400',
  '-0',
  '\u001e',
  '\ufeff',
  '\r\n',
];

/** CTS-02. */
export function admissionScenarios({ scenario, expect }: Suite): void {
  scenario(
    'the first admission creates instance, row and one batch together (CTS-02, ADM-04)',
    async ({ store, clock }) => {
      const a = admission({ submissionId: 's1' });
      const result = await store.admit(a);
      expect(result).toMatchObject({
        kind: 'admitted',
        created: true,
        uid: a.create?.uid,
        incarnation: a.create?.incarnation,
        submission: {
          submissionId: 's1',
          path: PATH,
          status: 'queued',
          attempts: 0,
          payload: a.payload,
          kind: 'dispatch',
        },
      });
      const { view, stream } = await observe(store);
      expect(view?.instance).toMatchObject({
        path: PATH,
        createdAt: clock.now,
        epoch: 0,
        head: stream.nextOffset,
      });
      expect(stream.batches.map((batch) => batch.records)).toEqual([[a.create?.birth, a.accepted]]);
      expect(result.kind === 'admitted' && result.admittedOffset).toBe(stream.nextOffset);
    },
  );

  scenario('a later admission appends its record alone (CTS-02, ADM-04)', async ({ store }) => {
    await store.admit(admission({ submissionId: 's1' }));
    const { create: _, ...without } = admission({ submissionId: 's2' });
    const result = await store.admit(without);
    expect(result).toMatchObject({ kind: 'admitted', created: false, uid: `uid of ${PATH}` });
    expect((await store.read(PATH, {})).batches[1]?.records).toEqual([without.accepted]);
  });

  scenario('each condition against each state (CTS-02, ADM-03)', async ({ store }) => {
    const { create, ...continues } = admission({ submissionId: 's0' });
    expect(await store.admit(continues)).toEqual({ kind: 'missing' });
    expect(await store.admit(admission({ submissionId: 's0', condition: 'some uid' }))).toEqual({
      kind: 'missing',
    });
    expect(await store.load(PATH)).toBe(null);

    expect(await store.admit(admission({ submissionId: 's1', condition: null }))).toMatchObject({
      kind: 'admitted',
    });
    const uid = create?.uid ?? '';
    expect(await store.admit(admission({ submissionId: 's2', condition: null }))).toEqual({
      kind: 'exists',
      uid,
    });
    expect(await store.admit(admission({ submissionId: 's2', condition: 'other' }))).toEqual({
      kind: 'missing',
    });
    expect(await store.admit(admission({ submissionId: 's2', condition: uid }))).toMatchObject({
      kind: 'admitted',
    });
    expect((await store.load(PATH))?.rows.map((row) => row.submissionId)).toEqual(['s1', 's2']);
  });

  scenario(
    'a replay returns the original, even where its condition would fail now (CTS-02, ADM-01)',
    async ({ store }) => {
      const first = await store.admit(admission({ submissionId: 's1', condition: null }));
      await store.admit(admission({ submissionId: 's2' }));
      const before = await observe(store, ['s1']);
      const replay = await store.admit(
        admission({
          submissionId: 's1',
          condition: null,
          acceptedAt: '2026-01-02T00:00:00.000Z',
          accepted: body('other'),
        }),
      );
      if (first.kind !== 'admitted') throw new Error('not admitted');
      expect(replay).toEqual({ ...first, kind: 'replayed', created: false });
      expect(await observe(store, ['s1'])).toEqual(before);
    },
  );

  scenario('a replay after settlement tells the outcome (ADM-01, QRY-03)', async ({ store }) => {
    await store.admit(admission({ submissionId: 's1' }));
    await beat(store, 'o1');
    const fence = fenceOf(await claimHead(store, 'o1'), 'o1');
    await store.commit(
      fence,
      commit(1, { rows: [{ submissionId: 's1', to: 'settled', outcome: 'completed' }] }),
    );
    const replay = await store.admit(admission({ submissionId: 's1' }));
    expect(replay).toMatchObject({
      kind: 'replayed',
      submission: { status: 'settled', outcome: 'completed' },
    });
  });

  scenario(
    'the same id with another digest is a conflict and writes nothing (CTS-02, ADM-01)',
    async ({ store }) => {
      await store.admit(admission({ submissionId: 's1' }));
      const before = await observe(store, ['s1']);
      const result = await store.admit(admission({ submissionId: 's1', digest: 'another' }));
      expect(result).toEqual({ kind: 'conflict', submissionId: 's1' });
      expect(await observe(store, ['s1'])).toEqual(before);
    },
  );

  scenario('of two creators one wins (CTS-02, ADM-03)', async ({ store, second }) => {
    const other = await second();
    const results = await Promise.all([
      store.admit(admission({ submissionId: 's1', condition: null })),
      other.admit(admission({ submissionId: 's2', condition: null })),
    ]);
    expect(results.map((result) => result.kind).sort()).toEqual(['admitted', 'exists']);
  });

  scenario(
    '200 concurrent admissions get distinct, increasing places (CTS-02, PRM-04)',
    async ({ store, second }) => {
      const stores = [store, await second()];
      const ids = Array.from({ length: 200 }, (_, i) => `s${i}`);
      await Promise.all(ids.map((submissionId, i) => stores[i % 2]?.admit(admission({ submissionId }))));
      const view = await store.load(PATH);
      const seqs = view?.rows.map((row) => row.seq) ?? [];
      expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
      expect(seqs.length).toBe(200);
      expect((await store.read(PATH, { limit: 1000 })).batches.length).toBe(200);
    },
  );

  scenario(
    'a group of admissions in one turn fails only for its faulty member (SQL-05, ATT-03)',
    async ({ store }) => {
      const bytes = new Uint8Array([1, 2, 3]);
      await store.admit(admission({ submissionId: 's0', attachments: [attachment('a', bytes)] }));
      const other = attachment('a', new Uint8Array([9]));
      const settled = await Promise.allSettled([
        store.admit(admission({ submissionId: 's1' })),
        store.admit(admission({ submissionId: 's2', attachments: [other] })),
        store.admit(admission({ submissionId: 's3' })),
      ]);
      expect(settled.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect((await store.load(PATH))?.rows.map((row) => row.submissionId)).toEqual(['s0', 's1', 's3']);
      expect((await store.read(PATH, {})).batches.length).toBe(3);
    },
  );

  scenario('payloads, records, ids and paths keep every code unit (CTS-02)', async ({ store }) => {
    for (const [i, text] of HARD_TEXTS.entries()) {
      const path = `agents/orders/${i}${text}`;
      const submissionId = `s${i}${text}`;
      const create = { uid: `u${text}`, incarnation: `inc_${text}`, birth: text };
      await store.admit(admission({ path, submissionId, payload: text, accepted: text, create }));
      expect(await store.submission(submissionId)).toMatchObject({ submissionId, path, payload: text });
      expect((await store.load(path))?.instance).toMatchObject({
        path,
        uid: create.uid,
        incarnation: create.incarnation,
      });
      expect((await store.read(path, {})).batches[0]?.records).toEqual([text, text]);
    }
  });

  scenario('a payload of a megabyte keeps every character (CTS-02)', async ({ store }) => {
    const payload = JSON.stringify({ text: '\u{1f600}x'.repeat(300_000) });
    await store.admit(admission({ submissionId: 's1', payload }));
    expect((await store.submission('s1'))?.payload === payload).toBe(true);
    expect((await store.load(PATH))?.rows[0]?.payload === payload).toBe(true);
  });

  scenario('attachments are written with the admission (CTS-02, ATT-02)', async ({ store }) => {
    const bytes = new Uint8Array([0, 255, 1, 254]);
    await store.admit(
      admission({ submissionId: 's1', attachments: [attachment('att_s1_0', bytes, { filename: 'a.png' })] }),
    );
    const stored = await store.attachment(PATH, 'att_s1_0');
    expect(stored?.ref).toMatchObject({ id: 'att_s1_0', mimeType: 'image/png', size: 4, filename: 'a.png' });
    expect([...(stored?.bytes ?? [])]).toEqual([...bytes]);
  });
}
