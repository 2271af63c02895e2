import { describe, expect, it } from 'vitest';
import { readBatches, recordsOf } from '../support/stream.ts';
import type { CrashFolder } from './crash-folder.ts';
import { crashFolders } from './crash-folders.ts';
import { expectNoDuplicates } from './expect-no-duplicates.ts';
import { killEachWrite } from './kill-each-write.ts';
import { send, yard, yardRun } from './yard.ts';

const PATH = 'agents/Yard/1';
const STEPS = ['order', 'raise', 'paint'];

const folders = crashFolders(yardRun);

/** The steps that the file holds as the process left it. */
async function recordedSteps(folder: CrashFolder): Promise<string[]> {
  const records = (await readBatches(folder.file, PATH)).flatMap(recordsOf);
  return records.flatMap(({ type, name }) => (type === 'step_recorded' ? [String(name)] : []));
}

/** Whatever was killed, every step is recorded once, with the state that it wrote, and the durable call has its result. */
async function expectRecovery(folder: CrashFolder, point: string): Promise<void> {
  const reply = await folder.boot(async () => yard().read(await send()));
  expect(reply.text, point).toBe('Built.');
  const batches = (await readBatches(folder.file, PATH)).map(recordsOf);
  const records = batches.flat();
  const ofType = (type: string) => records.filter((record) => record.type === type);
  expectNoDuplicates(records, point);

  expect(
    ofType('step_recorded').map(({ name }) => name),
    point,
  ).toEqual(STEPS);
  const raised = batches.find((batch) =>
    batch.some(({ type, name }) => type === 'step_recorded' && name === 'raise'),
  )!;
  expect(
    raised.map(({ type }) => type),
    point,
  ).toEqual(['state_written', 'step_recorded']);
  expect(
    ofType('state_written').map(({ value, step }) => [value, step]),
    point,
  ).toEqual([[['12 planks'], 'raise']]);
  const outcomes = ofType('call_settled');
  expect(
    outcomes.filter(({ tool }) => tool === 'build'),
    point,
  ).toMatchObject([{ status: 'ok', output: { painted: 'red' } }]);
  expect(
    outcomes.filter(({ tool }) => tool === 'sweep'),
    point,
  ).toHaveLength(1);
}

/** How often each step, and the ordinary tool, ran in all processes together. */
function runs(folder: CrashFolder, name: string): number {
  return folder.trace().filter((line) => line.startsWith(`${name} `)).length;
}

describe('a process killed at every write of a run with a durable tool', () => {
  it('before it: the call is executed again, and at most the one step that was not recorded runs twice (FLT-23, DTL-01, DTL-03, STEP-02, STATE-09)', async () => {
    const killed = await killEachWrite(folders, 'before', async (folder, point) => {
      await expectRecovery(folder, point);
      const again = STEPS.map((step) => runs(folder, step) - 1);
      expect(Math.min(...again), point).toBe(0);
      expect(
        again.reduce((sum, n) => sum + n, 0),
        point,
      ).toBeLessThanOrEqual(1);
      expect(runs(folder, 'sweep'), point).toBeLessThanOrEqual(1);
    });
    expect(killed.filter((write) => write === 'before commit').length).toBeGreaterThanOrEqual(7);
  }, 180_000);

  it('after it, unknown to itself: no step that was recorded runs again (FLT-23, DTL-01, STEP-01, STEP-12)', async () => {
    const killed = await killEachWrite(folders, 'after', async (folder, point) => {
      const recorded = await recordedSteps(folder);
      await expectRecovery(folder, point);
      for (const step of recorded) expect(runs(folder, step), point).toBe(1);
      expect(runs(folder, 'sweep'), point).toBeLessThanOrEqual(1);
    });
    expect(killed.filter((write) => write === 'after commit').length).toBeGreaterThanOrEqual(7);
  }, 180_000);
});
