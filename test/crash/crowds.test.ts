import { describe, it } from 'vitest';
import { Clerk, type Form, type Order, playClerk } from './clerk.ts';
import type { CrashFolder } from './crash-folder.ts';
import { crashFolders } from './crash-folders.ts';
import { expectSound } from './expect-sound.ts';
import { KILLS } from './kills.ts';
import { randomFrom } from './random.ts';

const INSTANCES = ['north', 'south', 'west'];
const KILLS_PER_FILE = 15;
/** A process lives for at most so many writes. */
const MOST_WRITES = 20;

const worker = new URL('./clerk-worker.ts', import.meta.url);
const folders = crashFolders({ worker, agent: Clerk, playModel: playClerk });

/** Gives orders to random processes, each of which dies at a random write and is followed by another. */
async function giveOrders(
  folder: CrashFolder,
  processes: number,
  kills: number,
  random: () => number,
): Promise<Form[]> {
  const upTo = (count: number) => Math.floor(random() * count);
  const hire = () =>
    folder.play({ kill: { call: 1 + upTo(MOST_WRITES), when: random() < 0.5 ? 'before' : 'after' } });
  const live = Array.from({ length: processes }, hire);
  const sent: Form[] = [];
  for (let number = 0, died = 0; died < kills; number++) {
    const to = INSTANCES[upTo(INSTANCES.length)] as string;
    const order: Order = random() < 0.1 ? { to, abort: true } : { to, form: `form-${number}` };
    if ('form' in order) sent.push(order);
    const at = upTo(processes);
    live[at]?.send(order);
    if (await live[at]?.message('done').catch(() => undefined)) continue;
    died++;
    live[at] = hire();
  }
  return sent;
}

describe('processes on one file that die at random writes', () => {
  it.each([2, 3])(
    '%i of them settle everything once and in order (FLT-24, SUB-02, QUE-01, OWN-03, SQL-07)',
    async (processes) => {
      const rounds = Math.ceil(KILLS.crowds / 2 / KILLS_PER_FILE);
      for (let round = 0; round < rounds; round++) {
        const seed = KILLS.seed + 1000 * processes + round;
        const folder = folders.create();
        try {
          const sent = await giveOrders(folder, processes, KILLS_PER_FILE, randomFrom(seed));
          await expectSound(folder, sent, `${processes} processes, seed ${seed}`);
        } finally {
          await folder.remove();
        }
      }
    },
    KILLS.crowds * 2000 + 60_000,
  );
});
