import { afterEach, describe, expect, it, vi } from 'vitest';
import { readBatches, recordsOf, type StoredRecord } from '../support/stream.ts';
import type { CrashFolder } from './crash-folder.ts';
import { crashFolders } from './crash-folders.ts';
import { crew, crewRun, order } from './crew.ts';
import { expectNoDuplicates } from './expect-no-duplicates.ts';

/** More writes than the run has. */
const MOST_WRITES = 60;

const folders = crashFolders(crewRun);
afterEach(() => vi.unstubAllEnvs());

type Placed = StoredRecord & { readonly epoch: number };

async function recordsIn(folder: CrashFolder): Promise<Placed[]> {
  const batches = await readBatches(folder.file, 'agents/Crew/1');
  return batches.flatMap((batch) => recordsOf(batch).map((record) => ({ ...record, epoch: batch.epoch })));
}

const finish = (folder: CrashFolder) => folder.boot(async () => crew().read(await order()));
const ofType = (records: readonly Placed[], type: string) => records.filter((record) => record.type === type);
const textOf = (settled: Placed | undefined) =>
  (settled?.content as { text: string }[] | undefined)?.map(({ text }) => text).join('');

/** Waits until the trace holds a line of each kind. */
async function traced(folder: CrashFolder, ...starts: string[]): Promise<void> {
  const has = (start: string) => folder.trace().some((line) => line.startsWith(start));
  await vi.waitFor(() => expect(starts.filter((start) => !has(start))).toEqual([]), { timeout: 30_000 });
}

/** Plays the run until it hangs where HANG says, and kills it there. */
async function killWhile(folder: CrashFolder, hang: string, ...starts: string[]): Promise<void> {
  const child = folder.play({ env: { HANG: hang } });
  await traced(folder, ...starts);
  await child.kill();
}

/** What the conversation of a delegate says of itself, and the call that it hangs on. */
function tasksIn(records: readonly Placed[]) {
  return ofType(records, 'conversation_opened')
    .filter((record) => record.conv !== undefined)
    .map(({ conv, parent, call, agent }) => ({
      agent: String(agent),
      settled: ofType(records, 'call_settled').filter(
        (record) => record.call === call && record.conv === parent,
      ),
      final: ofType(records, 'assistant_message').find(
        (record) => record.conv === conv && record.stop === 'stop',
      ),
    }));
}

const SAYS: Readonly<Record<string, string>> = { mason: 'Wall.', painter: 'Paint.', hauler: 'Stones.' };

/** How many delegates had ended when the process died, and were adopted. */
async function expectRecovery(folder: CrashFolder, point: string): Promise<number> {
  const reply = await finish(folder);
  const records = await recordsIn(folder);
  expect(reply.text, point).toMatch(/^Built: /);
  expectNoDuplicates(records, point);
  expect(ofType(records, 'submission_settled'), point).toMatchObject([{ outcome: 'completed' }]);

  // An ordinary tool of a delegate is never run again.
  const tools = folder.trace().filter((line) => !line.startsWith('model '));
  const runs = tools.map((line) => line.replace(/ at .*/, ''));
  expect(runs, point).toEqual([...new Set(runs)]);

  // A task whose conversation was opened has the result that it would have had.
  const ours = Math.max(...records.map(({ epoch }) => epoch));
  let adopted = 0;
  for (const { agent, settled, final } of tasksIn(records)) {
    expect(settled, point).toMatchObject([{ status: 'ok' }]);
    expect(textOf(settled[0]), point).toBe(SAYS[agent]);
    const again = folder
      .trace()
      .filter((line) => line.startsWith(`model ${agent} `) && line.endsWith(` by ${process.pid}`));
    if (!final || final.epoch === ours) continue;
    expect(again, point).toEqual([]);
    if (settled[0]?.epoch === ours) adopted += 1;
  }
  return adopted;
}

describe('a process killed while delegates work', () => {
  it('after any write of the run: what they did stands, and the tasks come to their real results (PC-043, TSK-01, TSK-02, TSK-03, FLT-06, FLT-23, TASK-09)', async () => {
    let killed = 0;
    let adopted = 0;
    for (let call = 1; call <= MOST_WRITES; call++) {
      const folder = folders.create();
      try {
        const child = folder.play({ kill: { call, when: 'after' } });
        const end = await child.ended;
        if (end === 0) break;
        killed += 1;
        adopted += await expectRecovery(folder, `write ${call}, ${child.errors().trim()}`);
      } finally {
        await folder.remove();
      }
    }
    expect(killed).toBeGreaterThanOrEqual(18);
    expect(killed).toBeLessThan(MOST_WRITES);
    // Each delegate once between its last message and the result of its task.
    expect(adopted).toBeGreaterThanOrEqual(3);
  }, 300_000);

  it('goes on with all of them at once (TSK-05)', async () => {
    const folder = folders.create();
    await killWhile(folder, 'mason painter', 'model mason', 'model painter');
    const delay = 2000;
    vi.stubEnv('SLOW', String(delay));
    const reply = await finish(folder);
    expect(reply.text).toBe('Built: Wall. Paint.');
    const asked = folder.trace().filter((line) => line.endsWith(` by ${process.pid}`));
    const first = (agent: string) =>
      Number(/ at (\d+)/.exec(asked.find((line) => line.includes(`model ${agent} `))!)![1]);
    expect(Math.abs(first('mason') - first('painter'))).toBeLessThan(delay);
    await folder.remove();
  }, 60_000);

  it('of which one is no longer declared: its task says so, the others and the parent go on (TSK-04, CLS-08)', async () => {
    const folder = folders.create();
    // One level down a task is open too; it is closed with the one above it.
    await killWhile(folder, 'hauler painter', 'model hauler', 'model painter', 'lay');
    vi.stubEnv('WITHOUT', 'mason');
    const reply = await finish(folder);
    expect(reply.text).toMatch(/^Built: \{"type":"subagent_unavailable",.*\} Paint\.$/);
    const records = await recordsIn(folder);
    const settled = ofType(records, 'call_settled').filter(({ tool }) => tool === 'task');
    expect(settled).toMatchObject([
      { conv: expect.any(Number), status: 'error', interrupted: true },
      { status: 'error' },
      { status: 'ok' },
    ]);
    expect(textOf(settled[0])).toMatch(/"childConversationId":"conv_[0-9A-Z]+\.\d"/);
    expect(settled[1]).not.toHaveProperty('interrupted');
    await folder.remove();
  }, 60_000);
});
