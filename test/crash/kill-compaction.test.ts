import { describe, expect, it } from 'vitest';
import { readBatches, recordsOf } from '../support/stream.ts';
import { crashFolders } from './crash-folders.ts';
import { expectNoDuplicates } from './expect-no-duplicates.ts';
import { ask, Keeper, playKeeper, playThrough } from './keeper.ts';

const worker = new URL('./keeper-worker.ts', import.meta.url);
const folders = crashFolders({ worker, agent: Keeper, playModel: playKeeper });

const REASONS = ['threshold', 'overflow', 'manual'] as const;
const points = REASONS.flatMap((reason, at) =>
  (['before', 'after'] as const).map((when) => ({ reason, call: at + 1, when })),
);

describe('a process killed at a compaction', () => {
  it.each(points)(
    'by $reason, $when its commit: it is done once, whole, and the conversation goes on from it (FLT-23, CMP-09, CMP-10, NARR-25, HND-11, HND-21)',
    async ({ call, when }) => {
      const folder = folders.create();
      try {
        const child = folder.play({ kill: { call, when, holding: 'compaction' } });
        expect(await child.ended).toBe('SIGKILL');

        const script = playKeeper();
        await folder.boot(async () => {
          await playThrough();
          await ask('last');
        });

        const batches = await readBatches(folder.file, 'agents/Keeper/1');
        const records = batches.flatMap(recordsOf);
        const ofType = (type: string) => records.filter((record) => record.type === type);
        expect(ofType('compaction').map(({ reason }) => reason)).toEqual(REASONS);
        for (const batch of batches.map(recordsOf)) {
          const at = batch.findIndex(({ type }) => type === 'compaction');
          if (at >= 0)
            expect(batch[at + 1]).toMatchObject({ type: 'resources_recorded', prompt: expect.any(String) });
        }
        expectNoDuplicates(records, when);
        // The promise of a dispatch died with its process, and what it had sent was answered all the same.
        expect(ofType('user_message').map(({ body }) => body)).toEqual(['first', 'second', 'third', 'last']);
        // Four messages, and a request of each process that came to ask.
        const outcomes = ofType('submission_settled').map(({ outcome }) => outcome);
        expect(outcomes.length).toBe(4 + ofType('compaction_requested').length);
        expect(new Set(outcomes)).toEqual(new Set(['completed']));

        const last = script.requests.findLast(({ options }) => options.purpose === 'agent');
        const texts = last?.messages.map(({ content }) => JSON.stringify(content));
        expect(texts).toEqual([expect.stringContaining('What matters.'), expect.stringContaining('last')]);
      } finally {
        await folder.remove();
      }
    },
    60_000,
  );
});
