import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HTTP_DEFAULTS } from '../contract/limits.ts';
import type { ConversationSnapshot } from '../conversation/projections/chunk.ts';
import type { DecodedBatch } from '../conversation/projections/decoded-batch.ts';
import { parseCursor } from '../conversation/projections/window.ts';
import { workedExample } from '../conversation/projections/worked-example.fixture.ts';
import { formatOffset } from '../ports/offset.ts';
import type { FlueStore, PersistenceAdapter } from '../ports/store.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { openCursor, readHistory, readUpdates } from './reader.ts';
import { examplePlayer, PATH, type Player } from './reader-example.fixture.ts';
import { requireStream } from './reader-stream.ts';
import { readWindow } from './reader-window.ts';
import { memory } from './runtime.test.support.ts';

let adapter: PersistenceAdapter;
let store: FlueStore;
let batchesRead = 0;
beforeEach(async () => {
  adapter = memory(fakeClock());
  const real = await adapter.connect();
  store = {
    ...real,
    async read(path, o) {
      const result = await real.read(path, o);
      batchesRead += result.batches.length;
      return result;
    },
  };
});
afterEach(() => adapter.close?.());

/** The worked example again and again, each time about other submissions. */
function rounds(count: number): DecodedBatch[] {
  const length = workedExample.length;
  return Array.from({ length: count }, (_, round) =>
    workedExample.map((batch, index): DecodedBatch => {
      const renamed = JSON.parse(
        JSON.stringify(batch).replaceAll(/sub_([AB])/g, `sub_$1${round}`),
      ) as DecodedBatch;
      const records = round > 0 && index === 0 ? renamed.records.slice(1) : renamed.records;
      return { batch: batch.batch + round * length, records };
    }),
  ).flat();
}

async function pages(limit: number): Promise<ConversationSnapshot[]> {
  const found: ConversationSnapshot[] = [];
  for (let cursor: string | undefined; ; ) {
    const place = cursor === undefined ? undefined : parseCursor(cursor)!.place;
    const page = await readWindow(store, PATH, { limit, place });
    found.unshift(page);
    if (!page.window?.hasMore) return found;
    cursor = page.window.previousCursor;
  }
}

async function expectPagesMatch(limit: number): Promise<void> {
  const whole = await readHistory(store, PATH);
  const found = await pages(limit);
  expect(found.flatMap((page) => page.messages)).toEqual(whole.messages);
  for (const page of found) {
    expect(page.messages.length).toBeLessThanOrEqual(limit);
    expect(page.pending).toEqual(whole.pending);
    expect([page.offset, page.uid, page.incarnation]).toEqual([whole.offset, whole.uid, whole.incarnation]);
    const shown = page.messages.map(({ submissionId }) => submissionId);
    expect(page.settlements).toEqual(
      whole.settlements.filter(({ submissionId }) => shown.includes(submissionId)),
    );
  }
  expect(found.slice(1).every((page) => page.messages.length === limit)).toBe(true);
}

describe('a page of history', () => {
  it.each([true, false])(
    'shows what the whole transcript does, wherever the conversation stands (HIST-12, CKP-07; drafts reclaimed: %s)',
    async (reclaim) => {
      const player: Player = examplePlayer(store, rounds(4), { reclaim });
      await player.play(2 * workedExample.length);
      for (let step = 0; step < 2 * workedExample.length; step++) {
        await player.play(1);
        for (const limit of [1, 3, 50]) await expectPagesMatch(limit);
      }
    },
    60_000,
  );

  it('keeps its neighbors when drafts go between two reads (HIST-12, STR-10)', async () => {
    const player = examplePlayer(store, rounds(3), { reclaim: true });
    await player.play(2 * workedExample.length + 4);
    const newest = await readWindow(store, PATH, { limit: 2 });
    await player.play();
    const { place } = parseCursor(newest.window!.previousCursor!)!;
    const earlier = await readWindow(store, PATH, { limit: 500, place });
    const whole = await readHistory(store, PATH);
    expect(earlier.messages).toEqual(whole.messages.slice(0, earlier.messages.length));
    expect(whole.messages[earlier.messages.length]?.id).toBe(newest.messages[0]?.id);
  });

  it('reads at most 200 batches, the newest and the oldest alike, of however many there are (CKP-07)', async () => {
    await examplePlayer(store, rounds(120), { reclaim: true }).play();
    const costOf = async (work: () => Promise<ConversationSnapshot>) => {
      batchesRead = 0;
      const page = await work();
      expect(page.messages).toHaveLength(20);
      return { cost: batchesRead, cursor: page.window!.previousCursor! };
    };
    const first = await costOf(() => readWindow(store, PATH, { limit: 20 }));
    expect(first.cost).toBeLessThanOrEqual(200);
    const second = await costOf(() =>
      readWindow(store, PATH, { limit: 20, place: parseCursor(first.cursor)!.place }),
    );
    expect(second.cost).toBeLessThanOrEqual(200);
  }, 60_000);
});

describe('a reader that comes back', () => {
  it('costs what it missed and at most one response, however long the conversation is (CKP-06)', async () => {
    const batches = rounds(100);
    const player = examplePlayer(store, batches, { reclaim: true });
    const costs: number[] = [];
    for (const length of [4, 100]) {
      await player.play(length * workedExample.length - costs.length * 4 * workedExample.length);
      const stream = await requireStream(store, PATH);
      const after = formatOffset(length * workedExample.length - 10);
      batchesRead = 0;
      const page = await readUpdates(store, openCursor(stream, after), HTTP_DEFAULTS);
      expect(page.upToDate).toBe(true);
      expect(page.chunks.at(-1)?.type).toBe('submission-settled');
      costs.push(batchesRead);
    }
    expect(costs[1]).toBe(costs[0]);
    expect(costs[0]).toBeLessThanOrEqual(10 + workedExample.length);
  }, 60_000);
});
