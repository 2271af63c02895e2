import { formatOffset } from '../../ports/offset.ts';
import type { Fence, FlueStore, ReadOptions } from '../../ports/store.ts';
import { admission, body, claimOne, commit, fenceOf, PATH, rejection } from './givens.ts';
import type { Suite } from './target.ts';

const MiB = 1024 * 1024;

/** CTS-10. */
export function streamScenarios({ scenario, expect }: Suite): void {
  /** Batch 1 is the admission; the owner's batch `n` is batch `n + 1` of the stream. */
  async function grow(store: FlueStore, batches: number): Promise<Fence> {
    const fence = fenceOf(await claimOne(store, 'o1', 's1'), 'o1');
    for (let seq = 1; seq < batches; seq++) await store.commit(fence, commit(seq));
    return fence;
  }

  async function numbers(store: FlueStore, o: ReadOptions): Promise<number[]> {
    return (await store.read(PATH, o)).batches.map((batch) => Number(batch.offset.slice(17)));
  }

  scenario('bodies are text that the store does not look into (PRM-02)', async ({ store }) => {
    const claim = await claimOne(store, 'o1', 's1');
    const records = ['not JSON', '{"type":', 'null', '{"type":"submission_settled","submissionId":"s1"}'];
    await store.commit(fenceOf(claim, 'o1'), commit(1, { records }));
    expect((await store.read(PATH, {})).batches.at(-1)?.records).toEqual(records);
    expect((await store.submission('s1'))?.status).toBe('running');
  });

  scenario('offsets are dense and batches come in order (CTS-10, STR-01, STR-10)', async ({ store }) => {
    await grow(store, 5);
    const page = await store.read(PATH, {});
    expect(page.batches.map((batch) => batch.offset)).toEqual([1, 2, 3, 4, 5].map(formatOffset));
    expect(page).toMatchObject({ nextOffset: formatOffset(5), upToDate: true, gap: false });
    expect(await store.read(PATH, { after: '-1' })).toEqual(page);
  });

  scenario('pages continue where the last one ended (CTS-10, QRY-04)', async ({ store }) => {
    await grow(store, 7);
    const first = await store.read(PATH, { limit: 3 });
    expect(first).toMatchObject({ nextOffset: formatOffset(3), upToDate: false });
    const second = await store.read(PATH, { after: first.nextOffset, limit: 3 });
    const third = await store.read(PATH, { after: second.nextOffset, limit: 3 });
    expect([second.batches.length, second.upToDate, third.batches.length, third.upToDate]).toEqual([
      3,
      false,
      1,
      true,
    ]);
    expect((await store.read(PATH, { after: second.nextOffset, limit: 1 })).upToDate).toBe(true);
    const end = await store.read(PATH, { after: third.nextOffset });
    expect(end).toEqual({ batches: [], nextOffset: formatOffset(7), upToDate: true, gap: false });
  });

  scenario('invalid limits fall back, large ones are cut (CTS-10, QRY-04)', async ({ store }) => {
    await grow(store, 120);
    for (const limit of [0, -1, 1.5, Number.NaN]) expect((await numbers(store, { limit })).length).toBe(100);
    expect((await numbers(store, {})).length).toBe(100);
    expect((await numbers(store, { limit: 5000 })).length).toBe(120);
  });

  scenario('an unknown path is empty and up to date (CTS-10, QRY-04)', async ({ store }) => {
    const page = await store.read('agents/orders/unknown', {});
    expect(page).toEqual({ batches: [], nextOffset: '-1', upToDate: true, gap: false });
  });

  scenario(
    'an offset beyond the head, or no offset at all, is refused (CTS-10, QRY-04)',
    async ({ store }) => {
      await grow(store, 3);
      const faults: [ReadOptions, string][] = [
        [{ after: formatOffset(4) }, 'beyond_head'],
        [{ before: formatOffset(5) }, 'beyond_head'],
        [{ after: 'nonsense' }, 'invalid_offset'],
        [{ after: '-1', before: formatOffset(2) }, 'invalid_offset'],
      ];
      for (const [o, reason] of faults) {
        const error = await rejection(store.read(PATH, o));
        expect([error.type, error.meta?.reason]).toEqual(['conversation_stream_store_failure', reason]);
      }
    },
  );

  scenario('history pages backwards from any offset (CTS-10, QRY-05)', async ({ store }) => {
    await grow(store, 6);
    const newest = await store.read(PATH, { before: formatOffset(7), limit: 2 });
    expect(newest.batches.map((batch) => batch.offset)).toEqual([6, 5].map(formatOffset));
    expect(newest).toMatchObject({ nextOffset: formatOffset(5), upToDate: false });
    expect(await numbers(store, { before: newest.nextOffset, limit: 10 })).toEqual([4, 3, 2, 1]);
    expect((await store.read(PATH, { before: formatOffset(3) })).upToDate).toBe(true);
    expect(await numbers(store, { before: formatOffset(1) })).toEqual([]);
  });

  scenario('a batch of several records is one offset (CTS-10, STR-02)', async ({ store }) => {
    const fence = await grow(store, 1);
    const records = ['a', 'b', 'c'].map((note) => body('signal', note));
    const { offset } = await store.commit(fence, commit(1, { records }));
    await store.commit(fence, commit(2, { records: [] }));
    expect((await store.read(PATH, { after: formatOffset(1), limit: 1 })).batches).toMatchObject([
      { offset, records },
    ]);
    expect((await store.read(PATH, { after: offset })).batches).toMatchObject([{ records: [] }]);
  });

  scenario(
    'eleven megabytes are one batch; thirteen are refused by name (CTS-10, STR-06, STR-07)',
    async ({ store }) => {
      const fence = await grow(store, 1);
      const large = JSON.stringify({ v: 1, type: 'call_settled', text: '\u{1f600}'.repeat((11 * MiB) / 4) });
      await store.commit(fence, commit(1, { records: [large] }));
      const read = await store.read(PATH, { after: formatOffset(1) });
      expect(read.batches[0]?.records[0] === large).toBe(true);

      const tooLarge = JSON.stringify({ v: 1, type: 'data_written', text: 'x'.repeat(13 * MiB) });
      const error = await rejection(store.commit(fence, commit(2, { records: [body('signal'), tooLarge] })));
      expect(error).toMatchObject({
        type: 'record_too_large',
        meta: { recordType: 'data_written', limit: 12 * MiB },
      });
      const admitted = rejection(store.admit(admission({ submissionId: 's2', accepted: tooLarge })));
      expect((await admitted).type).toBe('record_too_large');
      await store.commit(fence, commit(2));
      expect((await store.read(PATH, { after: formatOffset(2) })).batches.length).toBe(1);
    },
  );

  scenario(
    'one read returns at most eight megabytes, and at least one batch (CTS-10, QRY-05)',
    async ({ store }) => {
      const fence = await grow(store, 1);
      for (let seq = 1; seq <= 4; seq++)
        await store.commit(fence, commit(seq, { records: ['x'.repeat(3 * MiB)] }));
      await store.commit(fence, commit(5, { records: ['x'.repeat(9 * MiB)] }));
      expect(await numbers(store, { after: formatOffset(1) })).toEqual([2, 3]);
      expect((await store.read(PATH, { after: formatOffset(1) })).upToDate).toBe(false);
      expect(await numbers(store, { after: formatOffset(3) })).toEqual([4, 5]);
      expect(await numbers(store, { after: formatOffset(5) })).toEqual([6]);
      expect(await numbers(store, { before: formatOffset(7) })).toEqual([6]);
    },
  );

  scenario(
    'reclaimed drafts leave a gap that readers are told of (CTS-10, STR-09, STR-10)',
    async ({ store }) => {
      const fence = await grow(store, 1);
      const drafts: string[] = [];
      for (let seq = 1; seq <= 3; seq++)
        drafts.push((await store.commit(fence, commit(seq, { class: 'draft' }))).offset);
      await store.commit(fence, commit(4, { reclaim: drafts }));
      await store.commit(fence, commit(5));
      expect(await numbers(store, {})).toEqual([1, 5, 6]);
      for (const after of [1, 2, 3]) {
        const page = await store.read(PATH, { after: formatOffset(after) });
        expect([after, page.gap, page.batches[0]?.offset]).toEqual([after, true, formatOffset(5)]);
      }
      expect((await store.read(PATH, { after: formatOffset(4) })).gap).toBe(false);
      expect((await store.read(PATH, {})).gap).toBe(false);
      expect((await store.read(PATH, { before: formatOffset(5) })).gap).toBe(true);
    },
  );

  scenario('only drafts are ever reclaimed (CTS-10, STR-03)', async ({ store }) => {
    const fence = await grow(store, 3);
    await store.commit(fence, commit(3, { reclaim: [1, 2, 3, 4, 900].map(formatOffset) }));
    expect(await numbers(store, {})).toEqual([1, 2, 3, 4]);
    await store.commit(fence, commit(4, { class: 'draft', reclaim: [formatOffset(5)] }));
    expect(await numbers(store, {})).toEqual([1, 2, 3, 4, 5]);
  });

  scenario('a durable read passes over drafts without calling them a gap (CTS-10)', async ({ store }) => {
    const fence = await grow(store, 1);
    for (const seq of [1, 2]) await store.commit(fence, commit(seq, { class: 'draft' }));
    await store.commit(fence, commit(3));
    expect(await numbers(store, { class: 'durable' })).toEqual([1, 4]);
    const page = await store.read(PATH, { class: 'durable', after: formatOffset(1) });
    expect([page.gap, page.upToDate]).toEqual([false, true]);
    expect(await numbers(store, { class: 'durable', before: formatOffset(4) })).toEqual([1]);
    await store.commit(fence, commit(4, { reclaim: [formatOffset(2)] }));
    expect((await store.read(PATH, { class: 'durable', after: formatOffset(1) })).gap).toBe(true);
  });
}
