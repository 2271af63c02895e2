import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatOffset } from '../../ports/offset.ts';
import { randomStream } from './random-stream.fixture.ts';
import { readFrom, snapshotOf, transcriptOf } from './reader-walk.fixture.ts';
import { applyChunk, fromSnapshot, snapshotAt } from './transcript.ts';
import { withoutDrafts } from './worked-example.fixture.ts';

it('reading live and replaying what is left end at one transcript (HIST-01, PC-057)', () => {
  fc.assert(
    fc.property(randomStream, (batches) => {
      expect(snapshotOf(withoutDrafts(batches))).toEqual(snapshotOf(batches));
    }),
    { numRuns: 150 },
  );
});

it('a snapshot at any offset and what follows it end at a fresh one, drafts kept or reclaimed (HIST-01, STRM-05)', () => {
  fc.assert(
    fc.property(randomStream, fc.nat(), (batches, seed) => {
      const at = 1 + (seed % batches.length);
      const early = snapshotOf(batches.slice(0, at));
      for (const stored of [batches, withoutDrafts(batches)]) {
        const transcript = transcriptOf(stored, fromSnapshot(early), at);
        expect(snapshotAt(transcript, formatOffset(batches.length))).toEqual(snapshotOf(stored));
      }
    }),
    { numRuns: 150 },
  );
});

it('a reader that asks for one batch at a time ends there too (UPD-02)', () => {
  fc.assert(
    fc.property(randomStream, fc.nat(), (batches, seed) => {
      const at = 1 + (seed % batches.length);
      const stored = withoutDrafts(batches);
      const transcript = fromSnapshot(snapshotOf(batches.slice(0, at)));
      let after = at;
      for (const { batch } of stored.filter((one) => one.batch > at)) {
        for (const chunk of readFrom(stored, after).get(batch) ?? []) applyChunk(transcript, chunk);
        after = batch;
      }
      expect(snapshotAt(transcript, formatOffset(batches.length))).toEqual(snapshotOf(stored));
    }),
    { numRuns: 150 },
  );
});
