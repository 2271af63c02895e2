import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatOffset } from '../../ports/offset.ts';
import type { Checkpoint, ReadOptions, StoredBatch, StoredCheckpoint } from '../../ports/store.ts';
import { stamp } from '../records/index.ts';
import { fillBodies, fromCheckpoint, missingBodies, toCheckpoint } from './checkpoint.ts';
import { entryTokens } from './entries.ts';
import { folded, killedExample, replyExample, stored } from './fixtures/examples.fixture.ts';
import { birth, delta, message, opened, running, story, text, user } from './fixtures/stories.fixture.ts';
import { wander } from './fixtures/wander.fixture.ts';
import { type FoldBatch, foldStored, numberOf } from './fold.ts';
import { prepare } from './prepare.ts';
import { deliveryRecord } from './queries.ts';
import type { Conversation } from './state.ts';

function storedCheckpoint(
  checkpoint: Checkpoint,
  batch: number,
  more: Partial<StoredCheckpoint> = {},
): StoredCheckpoint {
  return { ...checkpoint, offset: formatOffset(batch), incarnation: 'inc_U', ...more };
}

/** What a store would answer. */
function read(batches: readonly StoredBatch[], { after = '-1', limit = 100 }: ReadOptions): StoredBatch[] {
  return batches.filter((batch) => after === '-1' || batch.offset > after).slice(0, limit);
}

function fill(state: Conversation, batches: readonly StoredBatch[]): Conversation {
  for (const range of missingBodies(state)) fillBodies(state, read(batches, range));
  return state;
}

/** The state from a checkpoint after `cut` batches, and the rest folded on top. */
function resumed(batches: readonly FoldBatch[], cut: number): Conversation {
  const source = batches.map(stored);
  const checkpoint = toCheckpoint(folded(batches.slice(0, cut)));
  const state = fromCheckpoint(
    storedCheckpoint(checkpoint, numberOf(source[cut - 1]?.offset ?? '')),
    'inc_U',
  );
  if (!state) throw new Error('The checkpoint was not accepted.');
  fill(state, source);
  for (const batch of source.slice(cut)) foldStored(state, batch);
  return state;
}

/** Without what only says when it was last written. */
function comparable(state: Conversation) {
  for (const window of state.windows.values()) for (const entry of window.entries) entryTokens(entry);
  return { ...state, tail: { head: state.tail.head, prepared: state.tail.prepared } };
}

describe('a checkpoint', () => {
  it.each([
    ['reply', replyExample],
    ['killed reply', killedExample],
  ])('after any batch of the %s leads to the same end (CKP-01, RCD-90)', (_, batches) => {
    const expected = comparable(folded(batches));
    for (const cut of batches.keys()) {
      expect(comparable(resumed(batches, cut + 1)), `after ${cut + 1}`).toEqual(expected);
    }
  });

  it('after any batch of any legal stream leads to the same end (CKP-04)', () => {
    const choices = fc.array(fc.nat({ max: 10_000 }), { minLength: 20, maxLength: 160 });
    fc.assert(
      fc.property(choices, fc.nat(), (numbers, at) => {
        const batches = wander(numbers);
        const cut = 1 + (at % batches.length);
        expect(comparable(resumed(batches, cut))).toEqual(comparable(folded(batches)));
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  it('holds no bodies (CKP-04)', () => {
    const secret = 'x'.repeat(1000);
    const told = story([birth, user('sub_A', { body: secret })], ...opened.slice(1)).tell(
      message(1, [text(secret, 0)]),
    );
    const { data } = toCheckpoint(told.state);
    expect(data).not.toContain('xxx');
    expect(data).not.toContain('You are here.');
  });

  it('excludes what was compacted, so its size does not follow the history (CKP-04)', () => {
    const size = (replies: number) => {
      const told = story(...opened);
      for (let turn = 1; turn <= replies; turn += 1) told.tell(message(turn, [text('Hi', turn - 1)]));
      const resources = opened[1]?.[2];
      told.tell(
        {
          type: 'compaction',
          submissionId: 'sub_A',
          summary: 's',
          firstKeptEntryId: null,
          tokensBefore: 1,
          files: { read: [], modified: [] },
          reason: 'threshold',
        },
        ...(resources ? [resources] : []),
      );
      return toCheckpoint(told.state).data.length;
    };
    expect(Math.abs(size(200) - size(20))).toBeLessThan(20);
  });

  it('starts the interval to the next one anew (CKP-03)', () => {
    const { state } = story(...opened);
    expect(state.tail.batches).toBe(2);
    toCheckpoint(state);
    expect(state.tail).toMatchObject({ batches: 0, bytes: 0 });
  });

  it('is none in another format, of another incarnation, beyond the offset, or torn (CKP-01)', () => {
    const checkpoint = toCheckpoint(folded(replyExample));
    expect(fromCheckpoint(storedCheckpoint(checkpoint, 13), 'inc_U')).toMatchObject({ incarnation: 'inc_U' });
    expect(fromCheckpoint(storedCheckpoint(checkpoint, 13, { foldFormat: 0 }), 'inc_U')).toBeUndefined();
    expect(fromCheckpoint(storedCheckpoint(checkpoint, 13), 'inc_V')).toBeUndefined();
    expect(fromCheckpoint(storedCheckpoint(checkpoint, 12), 'inc_U')).toBeUndefined();
    const torn = { data: checkpoint.data.slice(0, -10) };
    expect(fromCheckpoint(storedCheckpoint(checkpoint, 13, torn), 'inc_U')).toBeUndefined();
    expect(fromCheckpoint(storedCheckpoint(checkpoint, 13, { data: '{}' }), 'inc_U')).toBeUndefined();
  });
});

describe('bodies', () => {
  it('are read in ranges: the active window, and what lies far back by itself (CKP-05)', () => {
    const told = story(...opened);
    for (let turn = 1; turn <= 40; turn += 1) told.tell(message(turn, [text('Hi', turn - 1)]));
    told.tell(
      {
        type: 'compaction',
        submissionId: 'sub_A',
        summary: 's',
        firstKeptEntryId: 'res_sub_A.39',
        tokensBefore: 1,
        files: { read: [], modified: [] },
        reason: 'threshold',
      },
      ...(opened[1]?.slice(2) ?? []),
    );
    const state = fromCheckpoint(storedCheckpoint(toCheckpoint(told.state), 43), 'inc_U') as Conversation;
    expect(missingBodies(state)).toEqual([
      { after: '-1', limit: 1 },
      { after: formatOffset(40), limit: 3 },
    ]);
  });

  it('that are missing are asked for instead of taken for absent', () => {
    const state = fromCheckpoint(
      storedCheckpoint(toCheckpoint(folded(replyExample)), 13),
      'inc_U',
    ) as Conversation;
    expect(() => deliveryRecord(state)).toThrow('missingBodies');
  });

  it('of reclaimed drafts are not needed to complete their message (STR-09, STR-10)', () => {
    const source = replyExample.map(stored);
    const checkpoint = toCheckpoint(folded(replyExample.slice(0, 4)));
    const state = fromCheckpoint(storedCheckpoint(checkpoint, 4), 'inc_U') as Conversation;
    const durable = source.filter((batch) => batch.class === 'durable');
    fill(state, durable);
    expect(state.open).toMatchObject({ partial: true, drafts: [3, 4] });
    for (const batch of durable.filter(({ offset }) => numberOf(offset) > 4)) foldStored(state, batch);
    expect(comparable(state)).toEqual(comparable(folded(replyExample)));
  });
});

describe('a checkpoint of a prepared batch', () => {
  const admissions = [user('sub_B'), user('sub_C')].map((record) =>
    stamp(record, '2026-07-17T10:00:01.000Z'),
  );
  const records = [running(), ...(opened[1]?.slice(1) ?? [])].map((record) =>
    stamp(record, '2026-07-17T10:00:01.000Z'),
  );
  const own = { class: 'durable' as const, epoch: 1, records };

  it('holds where the batch came to stand, and the admissions before it are folded after (CKP-01, RCD-44)', () => {
    const owner = story([birth, user()]).state;
    const prepared = prepare(owner, own);
    const checkpoint = storedCheckpoint(toCheckpoint(owner), 4);
    const source = [
      ...admissions.map((record, at) => stored({ offset: formatOffset(2 + at), ...own, records: [record] })),
      stored({ offset: formatOffset(4), ...own }),
      stored({ offset: formatOffset(5), class: 'draft', epoch: 1, records: [stamp(delta(0, 0, 'Hi'), '')] }),
    ];
    prepared.committed(formatOffset(4), source.slice(0, 2));
    foldStored(owner, source[3] as StoredBatch);

    const state = fromCheckpoint(checkpoint, 'inc_U') as Conversation;
    expect(state.tail.head).toBe(1);
    for (const batch of source) foldStored(state, batch);
    fill(state, [
      stored({
        offset: formatOffset(1),
        class: 'durable',
        epoch: 0,
        records: [birth, user()].map((one) => stamp(one, '2026-07-17T10:00:00.000Z')),
      }),
      ...source,
    ]);
    expect(comparable(state)).toEqual(comparable(owner));
  });

  it('stands at its own offset when nothing came in between', () => {
    const owner = story([birth, user()]).state;
    const prepared = prepare(owner, own);
    const checkpoint = storedCheckpoint(toCheckpoint(owner), 2);
    prepared.committed(formatOffset(2));
    expect(fromCheckpoint(checkpoint, 'inc_U')?.tail.head).toBe(2);
  });
});
