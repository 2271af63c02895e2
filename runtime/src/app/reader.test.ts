import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../adapters/node/system-clock.ts';
import { sqlite } from '../adapters/sqlite/sqlite.ts';
import { HTTP_DEFAULTS } from '../contract/limits.ts';
import type { LiveChunk } from '../conversation/projections/chunk.ts';
import {
  stream as exampleStream,
  readFrom,
  snapshotOf,
} from '../conversation/projections/reader-walk.fixture.ts';
import {
  killedExample,
  withoutDrafts,
  workedExample,
} from '../conversation/projections/worked-example.fixture.ts';
import { formatOffset } from '../ports/offset.ts';
import type { FlueStore, PersistenceAdapter } from '../ports/store.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { followSubmission, openCursor, readHistory, readSubmission, readUpdates } from './reader.ts';
import { examplePlayer, PATH } from './reader-example.fixture.ts';
import { requireStream } from './reader-stream.ts';
import { waitForChange } from './reader-wait.ts';

let adapter: PersistenceAdapter;
let store: FlueStore;
const ports = () => ({ store, clock: systemClock });

beforeEach(async () => {
  adapter = sqlite();
  store = await adapter.connect();
});
afterEach(() => adapter.close?.());

async function updatesFrom(
  after: string,
  limits = HTTP_DEFAULTS as { pageBatches: number; pageBytes: number },
) {
  const pages = [];
  const cursor = openCursor(await requireStream(store, PATH), after);
  for (;;) {
    const page = await readUpdates(store, cursor, limits);
    pages.push(page);
    if (page.upToDate) return { pages, chunks: pages.flatMap(({ chunks }) => chunks) };
  }
}

describe('reading a stored conversation', () => {
  it('gives the snapshot that its batches fold to, drafts reclaimed on the way (HIST-01)', async () => {
    await examplePlayer(store, workedExample, { reclaim: true }).play();
    expect(await readHistory(store, PATH)).toEqual(snapshotOf(withoutDrafts(workedExample)));
  });

  it('gives the chunks after any offset, page by page the same (UPD-02)', async () => {
    await examplePlayer(store, killedExample, { reclaim: true }).play();
    const stored = withoutDrafts(killedExample);
    for (const after of [0, 2, 3, 6, 8, 11, 12]) {
      const { chunks } = await updatesFrom(after === 0 ? '-1' : formatOffset(after));
      expect(chunks).toEqual([...readFrom(stored, after).values()].flat());
    }
  });

  it('ends a page at its batches and at its bytes, and goes on from there (UPD-02)', async () => {
    await examplePlayer(store, workedExample, { reclaim: true }).play();
    const byBatches = await updatesFrom('-1', { pageBatches: 4, pageBytes: 1_000_000 });
    expect(byBatches.pages.map(({ nextOffset, upToDate }) => [nextOffset, upToDate])).toEqual([
      [formatOffset(6), false],
      [formatOffset(10), false],
      [formatOffset(13), true],
    ]);
    const byBytes = await updatesFrom('-1', { pageBatches: 100, pageBytes: 1 });
    expect(byBytes.pages).toHaveLength(11);
    expect(byBytes.chunks).toEqual(byBatches.chunks);
  });

  it('touches no prefix: the pages read for a late offset do not grow with the conversation (UPD-05)', async () => {
    await examplePlayer(store, workedExample, { reclaim: true }).play();
    let batchesRead = 0;
    const counting: FlueStore = {
      ...store,
      read: async (path, o) => {
        const result = await store.read(path, o);
        batchesRead += result.batches.length;
        return result;
      },
    };
    const cursor = openCursor(await requireStream(store, PATH), formatOffset(12));
    await readUpdates(counting, cursor, HTTP_DEFAULTS);
    expect(batchesRead).toBe(1);
  });

  it('refuses an offset beyond the head, and an instance without a message (STRM-04, STRM-08)', async () => {
    await expect(requireStream(store, PATH)).rejects.toMatchObject({ type: 'stream_not_found' });
    await examplePlayer(store, workedExample).play(1);
    const stream = await requireStream(store, PATH);
    expect(() => openCursor(stream, formatOffset(2))).toThrow(
      expect.objectContaining({
        type: 'stream_offset_gone',
        meta: { offset: formatOffset(2), nextOffset: formatOffset(1) },
      }),
    );
    expect(stream).toMatchObject(exampleStream);
  });
});

describe('waiting for a change', () => {
  it('sees a batch that was appended before the wait began (UPD-04)', async () => {
    await examplePlayer(store, workedExample).play(2);
    expect(await waitForChange(ports(), PATH, formatOffset(1), { timeoutMs: 60_000 })).toBe(true);
  });

  it('wakes for a batch that comes while it waits, and for none of another instance (UPD-03)', async () => {
    const player = examplePlayer(store, workedExample);
    await player.play(1);
    let looks = 0;
    const looked: FlueStore = {
      ...store,
      read(path, options) {
        looks += 1;
        return store.read(path, options);
      },
    };
    const waiting = waitForChange({ ...ports(), store: looked }, PATH, formatOffset(1), {
      timeoutMs: 60_000,
    });
    await examplePlayer(
      store,
      workedExample.slice(0, 1).map((batch) => renamed(batch, 2)),
      { path: 'agents/orders/43' },
    ).play();
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    expect(looks).toBe(1);
    await player.play(1);
    expect(await waiting).toBe(true);
  });

  it('ends at its time and at its signal, and leaves no watch behind (UPD-03)', async () => {
    await examplePlayer(store, workedExample).play(1);
    let watching = 0;
    const watched: FlueStore = {
      ...store,
      watch(listener) {
        const unwatch = store.watch(listener);
        watching += 1;
        return () => {
          watching -= 1;
          unwatch();
        };
      },
    };
    const clock = fakeClock();
    const timeout = waitForChange({ store: watched, clock }, PATH, formatOffset(1), { timeoutMs: 1000 });
    const stop = new AbortController();
    const stopped = waitForChange({ store: watched, clock }, PATH, formatOffset(1), {
      timeoutMs: 9000,
      signal: stop.signal,
    });
    expect(watching).toBe(1);
    await clock.advance(1000);
    expect(await timeout).toBe(false);
    stop.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
    expect(watching).toBe(0);
    expect(clock.pending).toBe(0);
  });
});

describe('following a submission', () => {
  it('resolves with the settled reply, its own id and its total usage (HND-18, HND-20)', async () => {
    const player = examplePlayer(store, workedExample, { reclaim: true });
    await player.play(3);
    const following = followSubmission(ports(), PATH, 'sub_A');
    await player.play();
    expect(await following).toMatchObject({
      state: 'settled',
      uid: 'inst_U',
      offset: formatOffset(1),
      settlement: { submissionId: 'sub_A', outcome: 'completed' },
      reply: {
        text: 'Order 8 is unknown.',
        data: { order: [{ id: '7' }] },
        metadata: { desk: 'eu' },
        submissionId: 'sub_A',
        uid: 'inst_U',
        usage: { totalTokens: 165 },
      },
    });
  });

  it('gives a joined delivery the reply of the one that answered it (SUBR-03, HND-07)', async () => {
    await examplePlayer(store, killedExample, { reclaim: true }).play();
    const own = await followSubmission(ports(), PATH, 'sub_A');
    const joined = await followSubmission(ports(), PATH, 'sub_B');
    expect(joined.reply).toEqual({ ...own.reply, submissionId: 'sub_B' });
    expect(joined.reply?.text).toBe('I could not reach the order system.');
    expect(joined.settlement?.answeredBySubmissionId).toBe('sub_A');
    expect(await readSubmission(store, PATH, 'sub_B')).toEqual(joined);
  });

  it('tells every chunk once, in order, from the admission to the settlement (HND-09)', async () => {
    const player = examplePlayer(store, workedExample);
    await player.play(1);
    const told: LiveChunk[] = [];
    const onEvent = async (chunk: LiveChunk) => void told.push(chunk);
    const following = followSubmission(ports(), PATH, 'sub_A', { onEvent });
    for (const _ of workedExample.slice(1)) await player.play(1);
    await following;
    const all = [...readFrom(workedExample, 1).values()].flat();
    expect(told).toEqual(all.slice(0, -1));
    expect(told.at(-1)).toMatchObject({ type: 'submission-settled', submissionId: 'sub_A' });
  });

  it('survives what onEvent throws and hands it on (HND-09)', async () => {
    await examplePlayer(store, workedExample).play();
    const failures: unknown[] = [];
    const reading = await followSubmission(ports(), PATH, 'sub_A', {
      onEvent: () => {
        throw new Error('listener');
      },
      onEventFailed: (error) => failures.push(error),
    });
    expect(reading.state).toBe('settled');
    expect(failures.length).toBeGreaterThan(5);
  });

  it('stops at its signal with the reason and leaves the work alone (HND-15)', async () => {
    const player = examplePlayer(store, workedExample);
    await player.play(2);
    const stop = new AbortController();
    const following = followSubmission(ports(), PATH, 'sub_A', { signal: stop.signal, onEvent: () => {} });
    stop.abort(new Error('not interested'));
    await expect(following).rejects.toThrow('not interested');
    await player.play();
    expect((await readSubmission(store, PATH, 'sub_A')).state).toBe('settled');
  });

  it('does not know another instance, nor an id that was never accepted (HND-14)', async () => {
    await expect(readSubmission(store, PATH, 'sub_A')).rejects.toMatchObject({
      type: 'agent_instance_not_found',
    });
    await examplePlayer(store, workedExample).play(1);
    await expect(readSubmission(store, PATH, 'sub_B')).rejects.toMatchObject({
      type: 'submission_not_found',
    });
    await examplePlayer(
      store,
      workedExample.slice(0, 1).map((batch) => renamed(batch, 2)),
      { path: 'agents/orders/43' },
    ).play();
    await expect(readSubmission(store, PATH, 'sub_A2')).rejects.toMatchObject({
      type: 'submission_not_found',
    });
  });

  it('reads a settled reply by its own records, however long the conversation grew (HND-16, SUBR-04)', async () => {
    await examplePlayer(store, workedExample, { reclaim: true }).play();
    const reads: number[] = [];
    const counting: FlueStore = {
      ...store,
      read: async (path, o) => {
        const result = await store.read(path, o);
        reads.push(result.batches.length);
        return result;
      },
    };
    const readAfter = async (round: number) => {
      const later = workedExample
        .map((batch) => renamed(batch, round))
        .map((one) => ({ ...one, batch: one.batch + round * 13 }));
      await examplePlayer(store, [dropBirth(later[0]!), ...later.slice(1)], { reclaim: true }).play();
      reads.length = 0;
      await readSubmission(counting, PATH, 'sub_A');
      return reads.reduce((sum, count) => sum + count, 0);
    };
    const early = await readAfter(1);
    for (const round of [2, 3, 4]) await readAfter(round);
    expect(await readAfter(5)).toBe(early);
  });
});

type Batch = (typeof workedExample)[number];

/** The same batch about other submissions. */
function renamed(batch: Batch, suffix: number): Batch {
  return JSON.parse(JSON.stringify(batch).replaceAll(/sub_([AB])/g, `sub_$1${suffix}`)) as Batch;
}

function dropBirth({ batch, records }: Batch): Batch {
  return { batch, records: records.slice(1) };
}
