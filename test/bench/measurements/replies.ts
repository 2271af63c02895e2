import { join } from 'node:path';
import { init } from '@flue/runtime';
import { withFolder } from '../support/folder.ts';
import { inFlight, type Line, lineOf, type Measurement, type Pair, timed } from '../support/measurement.ts';
import { Orders, playAnswers, withOrders } from '../support/orders.ts';
import { readWritten, type Written, writeBatches } from '../support/raw-sqlite.ts';
import { callsDuring } from '../support/sqlite-calls.ts';

const ROUNDS = 3;

/** Settled replies, next to what the disk allows: the same batches in as many transactions, and nothing else. */
export const replies: Measurement = {
  name: 'replies',
  async run({ long }) {
    const scale = long ? 10 : 1;
    return [
      await settled('replies/s, one at a time', 100 * scale, 1, '>= 150/s'),
      await settled('replies/s, 64 at a time', 600 * scale, 64, '20x of a durable peer'),
    ];
  },
};

async function settled(what: string, count: number, width: number, target: string): Promise<Line> {
  const pairs: Pair[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { written, transactions, ms } = await reply(count, width);
    const raw = await withFolder((folder) => writeBatches(join(folder, 'raw.db'), written, transactions));
    pairs.push({ ours: (count / ms) * 1000, peer: (count / raw) * 1000 });
  }
  return lineOf({ what, unit: '/s', beside: 'better-sqlite3, same batches only', target }, pairs);
}

function reply(
  count: number,
  width: number,
): Promise<{ written: Written; transactions: number; ms: number }> {
  playAnswers();
  let ms = 0;
  const ask = (index: number) => init(Orders, { id: String(index) }).dispatch('Where is order 7?');
  return withOrders(
    async () => {
      await inFlight(width, width, (index) => ask(count + index));
      return callsDuring(async () => {
        ms = await timed(() => inFlight(count, width, ask));
      });
    },
    { look: (file, { transactions }) => ({ written: readWritten(file), transactions, ms }) },
  );
}
