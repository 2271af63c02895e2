import type { AgentRunError } from '@flue/runtime';
import { describe, expect, it } from 'vitest';
import { openStore, readStream } from '../support/stream.ts';
import { crashFolders } from './crash-folders.ts';
import { askCharged, send, till, tillRun } from './till.ts';

const folders = crashFolders(tillRun);

/** The default budget. */
const ATTEMPTS = 10;

describe('a submission that kills every process which takes it', () => {
  it('ends with its budget, and the instance goes on (BUD-07, BUD-03, REC-02, REC-07)', async () => {
    const folder = folders.create();
    // The first life finds nothing, admits, and claims; every later one begins with the claim that it dies of.
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const child = folder.play({ kill: { call: attempt === 1 ? 3 : 1, when: 'after' } });
      expect(await child.ended, child.errors()).toBe('SIGKILL');
      expect(child.errors()).toContain('after claim');
    }
    const failure = await folder.boot(async () =>
      till()
        .read(await send('first'))
        .catch((error: AgentRunError) => error),
    );
    expect(failure).toMatchObject({
      outcome: 'failed',
      cause: { type: 'submission_interrupted', meta: { attemptCount: ATTEMPTS, maxAttempts: ATTEMPTS } },
    });
    expect(await folder.boot(askCharged)).toBe(0);
    expect(folder.trace()).toEqual([]);

    const settled = (await readStream(folder.file, 'agents/Till/1')).filter(
      ({ type }) => type === 'submission_settled',
    );
    expect(settled.map(({ outcome }) => outcome)).toEqual(['failed', 'completed']);
    const rows = await openStore(folder.file, async (store) => (await store.load('agents/Till/1'))?.rows);
    expect(rows).toEqual([]);
  }, 120_000);
});
