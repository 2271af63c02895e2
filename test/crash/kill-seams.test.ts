import { describe, expect, it } from 'vitest';
import { readBatches, recordsOf } from '../support/stream.ts';
import type { CrashFolder } from './crash-folder.ts';
import { crashFolders } from './crash-folders.ts';
import { desk, deskRun, send } from './desk.ts';
import { expectNoDuplicates } from './expect-no-duplicates.ts';
import { killEachWrite } from './kill-each-write.ts';

const folders = crashFolders(deskRun);

/** Whatever was killed, each seam left its unit once, and its callbacks ran at least that often. */
async function expectRecovery(folder: CrashFolder, point: string): Promise<void> {
  const replies = await folder.boot(async () => {
    // What the dead process never got to send is sent now; what it sent is recognized (DSP-11).
    const receipts = [await send('first'), await send('second')];
    return Promise.all(receipts.map((receipt) => desk().read(receipt)));
  });
  const batches = await readBatches(folder.file, 'agents/Desk/1');
  const records = batches.flatMap(recordsOf);
  const ofType = (type: string) => records.filter((record) => record.type === type);
  expectNoDuplicates(records, point);

  const bodies = ['Book room 7.', 'With breakfast.'];
  const signals = (type: string) => ofType('signal').filter(({ signalType }) => signalType === type);
  expect(
    signals('greeting').map(({ body }) => body),
    point,
  ).toEqual(bodies);
  expect(signals('check'), point).toHaveLength(1);
  const states = (name: string) => ofType('state_written').filter((record) => record.name === name);
  expect(
    states('greeted').map(({ value }) => value),
    point,
  ).toEqual([bodies.slice(0, 1), bodies]);
  expect(states('checked'), point).toHaveLength(1);
  expect(
    ofType('seam_closed')
      .map(({ seam }) => seam)
      .sort(),
    point,
  ).toEqual(['finish', 'start', 'start']);

  // A greeting is read with the message that it greets, in one batch with the mark and the state.
  for (const batch of batches.map(recordsOf)) {
    const types = batch.map(({ type, signalType }) => signalType ?? type);
    const at = types.indexOf('greeting');
    if (at >= 0) expect(types.slice(at, at + 3), point).toEqual(['greeting', 'state_written', 'seam_closed']);
  }

  const [reply] = replies;
  expect(reply!.metadata, point).toMatchObject({ desk: { name: 'eu', again: '{"desk":{"name":"eu"}}' } });
  expect(
    ofType('submission_settled').map(({ outcome }) => outcome),
    point,
  ).toEqual(['completed', 'completed']);
  const runs = folder.trace().map((line) => line.replace(/ by .*/, ''));
  for (const body of bodies) expect(runs, point).toContain(`start ${body}`);
  const books = runs.filter((line) => line.startsWith('book'));
  expect(books, point).toEqual([...new Set(books)]);
}

describe('a process killed at every write of a run with hooks', () => {
  it('before it: what a seam left is there once (FLT-23, SEAM-02, START-04, FIN-05, JOI-05, REC-16)', async () => {
    const killed = await killEachWrite(folders, 'before', expectRecovery);
    expect(killed.filter((write) => write === 'before commit').length).toBeGreaterThanOrEqual(9);
  }, 180_000);

  it('after it, unknown to itself: no callback of a seam that committed runs again (FLT-23, SEAM-02, START-04, FIN-05, REC-16)', async () => {
    const killed = await killEachWrite(folders, 'after', async (folder, point) => {
      await expectRecovery(folder, point);
      const starts = folder.trace().filter((line) => line.startsWith('start '));
      // Who dies right after a commit has run nothing that the commit does not hold.
      expect(new Set(starts.map((line) => line.replace(/ by .*/, ''))).size, point).toBe(starts.length);
    });
    expect(killed.filter((write) => write === 'after commit').length).toBeGreaterThanOrEqual(9);
  }, 180_000);
});
