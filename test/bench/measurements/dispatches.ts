import { join } from 'node:path';
import { dispatch } from '@flue/runtime';
import { withFolder } from '../support/folder.ts';
import { inFlight, type Line, lineOf, type Measurement, type Pair, timed } from '../support/measurement.ts';
import { Orders, playSilence, withOrders } from '../support/orders.ts';
import { readWritten, type Written, writeAdmissions } from '../support/raw-sqlite.ts';
import { callsDuring } from '../support/sqlite-calls.ts';

const DISPATCHES = 1000;
const SENDERS = 64;
/** A server is warm, so these do not count: the first rounds measure the compiler of the engine. */
const WARM_UP = 3;
const ROUNDS = 5;

/** Durable admissions, next to the bare driver that writes the same rows in as many transactions. */
export const dispatches: Measurement = {
  name: 'dispatches',
  run: async () => [
    await admissions('dispatches/s to 1,000 instances', '>= 0.50', (index) => String(index)),
    await admissions('dispatches/s to one instance', '>= 0.40', () => 'one'),
  ],
};

async function admissions(what: string, target: string, idOf: (index: number) => string): Promise<Line> {
  const pairs: Pair[] = [];
  for (let round = 0; round < WARM_UP; round++) await admit(idOf);
  for (let round = 0; round < ROUNDS; round++) {
    const { written, transactions, ms } = await admit(idOf);
    const raw = await withFolder((folder) =>
      writeAdmissions(join(folder, 'raw.db'), written, DISPATCHES, transactions),
    );
    pairs.push({ ours: perSecond(ms), peer: perSecond(raw) });
  }
  return lineOf({ what, unit: '/s', beside: 'better-sqlite3, same rows and transactions', target }, pairs);
}

/** One attempt runs and waits for its model, so that nothing but admissions is at work. */
async function admit(
  idOf: (index: number) => string,
): Promise<{ written: Written; transactions: number; ms: number }> {
  playSilence();
  let ms = 0;
  const send = (index: number) => dispatch(Orders, { id: idOf(index), message: `Where is order ${index}?` });
  return withOrders(
    () =>
      callsDuring(async () => {
        ms = await timed(() => inFlight(DISPATCHES, SENDERS, send));
      }),
    {
      execution: { concurrency: 1 },
      look: (file, { transactions }) => ({ written: readWritten(file), transactions, ms }),
    },
  );
}

function perSecond(ms: number): number {
  return (DISPATCHES / ms) * 1000;
}
