import { describe, expect, it } from 'vitest';
import { readStream } from '../support/stream.ts';
import { crashFolders } from './crash-folders.ts';
import { send, till, tillRun } from './till.ts';

const folders = crashFolders(tillRun);

/** Well below the lease of 5 s: only the proof of death explains that the work moved by then. */
const PROVEN_MS = 4000;

describe('two processes on one file', () => {
  it('when one is killed the other finishes its work without a restart (OWN-03, OWN-09, OWN-11, FLT-03, FLT-21)', async () => {
    const folder = folders.create();
    const child = folder.play({ hang: 'tool' });
    await folder.traced();
    const reply = await folder.boot(async () => {
      // Accepted here while the other process owns the instance, and left to it (OWN-04, OWN-12).
      const first = await send('first');
      expect(first.deduplicated).toBe(true);
      await send('second');
      await child.kill();
      const killed = performance.now();
      const settled = await till().read(first);
      expect(performance.now() - killed).toBeLessThan(PROVEN_MS);
      return settled;
    });
    expect(reply.text).toBe('Charged and printed.');

    const records = await readStream(folder.file, 'agents/Till/1');
    const ofType = (type: string) => records.filter((record) => record.type === type);
    expect(ofType('submission_settled')).toMatchObject([{ outcome: 'completed' }, { outcome: 'completed' }]);
    expect(ofType('submission_moved').filter(({ to }) => to === 'running')).toMatchObject([
      { attempt: 1 },
      { attempt: 2 },
    ]);
    expect(folder.trace().filter((line) => line.startsWith('charge_card'))).toHaveLength(1);
  });
});
