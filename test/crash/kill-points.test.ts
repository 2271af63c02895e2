import { describe, expect, it } from 'vitest';
import { readBatches, recordsOf, type StoredRecord } from '../support/stream.ts';
import type { CrashFolder } from './crash-folder.ts';
import { crashFolders } from './crash-folders.ts';
import { expectNoDuplicates } from './expect-no-duplicates.ts';
import { killEachWrite } from './kill-each-write.ts';
import { askCharged, send, till, tillRun } from './till.ts';

const PATH = 'agents/Till/1';

const folders = crashFolders(tillRun);

async function expectRecovery(folder: CrashFolder, point: string): Promise<void> {
  const began = performance.now();
  const answered = await folder.boot(async () => {
    // What the dead process never got to send is sent now; what it sent is recognized (DSP-11).
    const receipts = [await send('first'), await send('second')];
    const ids = receipts.map((receipt) => receipt.dispatchId);
    await Promise.all(ids.map((id) => till().read(id)));
    return ids;
  });
  expect(performance.now() - began, point).toBeLessThan(2000);

  const charged = await folder.boot(askCharged);
  const batches = await readBatches(folder.file, PATH);
  const records = batches.flatMap(recordsOf);
  const ofType = (type: string) => records.filter((record) => record.type === type);

  const settled = ofType('submission_settled');
  expect(settled.map(idOf).sort(), point).toEqual([...answered, idOf(settled.at(-1))].sort());
  expect(
    settled.map(({ outcome }) => outcome),
    point,
  ).toEqual(['completed', 'completed', 'completed']);
  expectNoDuplicates(records, point);

  const epochs = batches.map(({ epoch }) => epoch);
  expect(epochs, point).toEqual([...epochs].sort((a, b) => a - b));
  expect(
    batches.filter((batch) => batch.class === 'draft'),
    point,
  ).toEqual([]);

  const runs = folder.trace().map((line) => line.replace(/ by .*/, ''));
  expect(runs, point).toEqual([...new Set(runs)]);
  const charges = ofType('call_settled').filter(
    (record) => record.tool === 'charge_card' && record.status === 'ok',
  );
  expect(charged, point).toBe(charges.length);
}

function idOf(record: StoredRecord | undefined): string {
  return String(record?.submissionId);
}

describe('a process killed at every write of a run', () => {
  it('before it: the next boot settles everything once (FLT-23, SUB-02, STC-04, BUD-03)', async () => {
    const killed = await killEachWrite(folders, 'before', expectRecovery);
    expect(killed.filter((write) => write === 'before commit').length).toBeGreaterThanOrEqual(6);
  }, 120_000);

  it('after it, unknown to itself: the next boot settles everything once (FLT-23, TBR-03, JOI-06, DSP-15)', async () => {
    const killed = await killEachWrite(folders, 'after', expectRecovery);
    expect(killed.filter((write) => write === 'after commit').length).toBeGreaterThanOrEqual(6);
  }, 120_000);
});
