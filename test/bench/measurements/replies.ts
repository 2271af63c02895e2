import { join } from 'node:path';
import { init } from '@flue/runtime';
import { withFolder } from '../support/folder.ts';
import { costOf, inFlight, type Line, lineOf, type Measurement, type Pair } from '../support/measurement.ts';
import { Orders, playAnswers, withOrders } from '../support/orders.ts';
import { readWritten, writeBatches } from '../support/raw-sqlite.ts';
import { callsDuring } from '../support/sqlite-calls.ts';

const ROUNDS = 3;

/**
 * Replies before the first round. All rounds have one runtime, since its closures are compiled anew by each start: the
 * figure is that of a server that has run for a while.
 */
const WARM_UP = 1200;

/** Settled replies, next to what the disk allows: the same batches in as many transactions, and nothing else. */
export const replies: Measurement = {
  name: 'replies',
  async run({ long }) {
    const scale = long ? 10 : 1;
    return [
      ...(await settled({ width: 1, count: 200 * scale, target: '>= 150/s' })),
      ...(await settled({ width: 64, count: 600 * scale, target: '>= 640/s' })),
    ];
  },
};

interface Load {
  /** in flight at a time */
  readonly width: number;
  readonly count: number;
}

async function settled({ target, ...load }: Load & { readonly target: string }): Promise<Line[]> {
  const rates: Pair[] = [];
  const cpu: Pair[] = [];
  await withOrders(async (file) => {
    await reply({ ...load, count: WARM_UP }, 'warm-up');
    for (let round = 0; round < ROUNDS; round++) {
      const before = readWritten(file).batches.length;
      const { transactions, ...ours } = await reply(load, `round ${round}`);
      const written = readWritten(file);
      const batches = written.batches.slice(before);
      const raw = await withFolder((folder) =>
        costOf(() => writeBatches(join(folder, 'raw.db'), { ...written, batches }, transactions)),
      );
      rates.push({ ours: (load.count / ours.wall) * 1000, peer: (load.count / raw.wall) * 1000 });
      cpu.push({ ours: ours.cpu / load.count, peer: raw.cpu / load.count });
    }
  });
  const beside = 'better-sqlite3, same batches only';
  const at = `${load.width} at a time`;
  return [
    lineOf({ what: `replies/s, ${at}`, unit: '/s', beside, target }, rates),
    lineOf({ what: `processor time of a reply, ${at}`, unit: 'ms', beside, target: '<= 2.25 ms' }, cpu),
  ];
}

async function reply(
  { width, count }: Load,
  name: string,
): Promise<{ transactions: number; wall: number; cpu: number }> {
  playAnswers();
  const ask = (index: number) => init(Orders, { id: `${name} ${index}` }).dispatch('Where is order 7?');
  let cost = { wall: 0, cpu: 0 };
  const { transactions } = await callsDuring(async () => {
    cost = await costOf(() => inFlight(count, width, ask));
  });
  return { transactions, ...cost };
}
