import { type AgentRunError, init } from '@flue/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBatches, recordsOf } from '../support/stream.ts';
import { Clerk, type Order, playClerk, sendForm } from './clerk.ts';
import { type CrashFolder, type CrashFolders, openCrashFolders } from './crash-folder.ts';
import { expectNoDuplicates } from './expect-no-duplicates.ts';

const ORDERS = 30;
const INSTANCES = ['north', 'south', 'west'];
/** A process lives for at most so many writes. */
const MOST_WRITES = 25;

let folders: CrashFolders;
beforeAll(async () => {
  const worker = new URL('./clerk-worker.ts', import.meta.url);
  folders = await openCrashFolders({ worker, agent: Clerk, playModel: playClerk });
});
afterAll(() => folders.remove());

interface Sent {
  readonly to: string;
  readonly form: string;
}

/** Gives orders to random processes, each of which dies at a random write and is followed by another. */
async function giveOrders(
  folder: CrashFolder,
  processes: number,
  random: () => number,
): Promise<{ sent: Sent[]; died: number }> {
  const upTo = (count: number) => Math.floor(random() * count);
  const hire = () =>
    folder.play({ kill: { call: 1 + upTo(MOST_WRITES), when: random() < 0.5 ? 'before' : 'after' } });
  const live = Array.from({ length: processes }, hire);
  const sent: Sent[] = [];
  let died = 0;
  for (let number = 0; number < ORDERS; number++) {
    const to = INSTANCES[upTo(INSTANCES.length)] as string;
    const order: Order = random() < 0.1 ? { to, abort: true } : { to, form: `form-${number}` };
    if ('form' in order) sent.push(order);
    const at = upTo(processes);
    live[at]?.send(order);
    const done = await live[at]?.message('done').catch(() => undefined);
    if (done) continue;
    died++;
    live[at] = hire();
  }
  return { sent, died };
}

/** What every form came to. One whose sender died before it was accepted is accepted now. */
function outcomes(folder: CrashFolder, sent: readonly Sent[]): Promise<string[]> {
  return folder.boot(() =>
    Promise.all(
      sent.map(async ({ to, form }) => {
        const receipt = await sendForm(to, form);
        return init(Clerk, { id: to })
          .read(receipt)
          .then(
            () => 'completed',
            (error: AgentRunError) => (error.outcome === 'aborted' ? 'aborted' : `failed: ${error.cause}`),
          );
      }),
    ),
  );
}

async function expectSoundStream(folder: CrashFolder, to: string, forms: number, run: string): Promise<void> {
  const batches = await readBatches(folder.file, `agents/Clerk/${to}`);
  const records = batches.flatMap(recordsOf);
  expectNoDuplicates(records, run);
  const idsOf = (type: string) =>
    records.flatMap((record) => (record.type === type ? [String(record.submissionId)] : []));
  expect(idsOf('submission_settled').sort(), run).toEqual(idsOf('user_message').sort());
  expect(idsOf('user_message'), run).toHaveLength(forms);

  const placed = [...new Set(idsOf('submission_moved'))];
  const admitted = idsOf('user_message').filter((id) => placed.includes(id));
  expect(placed, run).toEqual(admitted);
  const epochs = batches.map(({ epoch }) => epoch);
  expect(epochs, run).toEqual(epochs.toSorted((a, b) => a - b));
}

describe('processes on one file that die at random writes', () => {
  it.each([
    { processes: 2, seed: 1 },
    { processes: 3, seed: 2 },
  ])(
    '$processes of them settle everything once and in order (FLT-24, SUB-02, QUE-01, OWN-03; seed $seed)',
    async ({ processes, seed }) => {
      const folder = folders.create();
      try {
        const { sent, died } = await giveOrders(folder, processes, randomFrom(seed));
        expect(died).toBeGreaterThan(3);
        const all = await outcomes(folder, sent);
        expect(all.filter((outcome) => outcome !== 'completed' && outcome !== 'aborted')).toEqual([]);
        for (const to of INSTANCES) {
          const forms = sent.filter((one) => one.to === to).length;
          if (forms > 0) await expectSoundStream(folder, to, forms, `seed ${seed}, ${to}`);
        }
        const runs = folder.trace().map((line) => line.split(' ')[1]);
        expect(runs).toEqual([...new Set(runs)]);
      } finally {
        await folder.remove();
      }
    },
    120_000,
  );
});

/** Numbers from 0 to 1 that a seed gives again (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
