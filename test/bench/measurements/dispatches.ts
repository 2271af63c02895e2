import { join } from 'node:path';
import { dispatch } from '@flue/runtime';
import { withFolder } from '../support/folder.ts';
import { inFlight, type Line, lineOf, type Measurement, type Pair, timed } from '../support/measurement.ts';
import { Orders, playSilence, withOrders } from '../support/orders.ts';
import { readWritten, type Written, writeAdmissions } from '../support/raw-sqlite.ts';
import { callsDuring } from '../support/sqlite-calls.ts';

const DISPATCHES = 1000;
const SENDERS = 64;
/** All rounds have one runtime, since its closures are compiled anew by each start; the first ones measure that. */
const WARM_UP = 5;
const ROUNDS = 5;

/** Durable admissions, next to the bare driver that writes the same rows in as many transactions. */
export const dispatches: Measurement = {
  name: 'dispatches',
  run: async () => [
    await admissions('dispatches/s to 1,000 instances', '>= 0.50', (round, index) => `${round} ${index}`),
    await admissions('dispatches/s to one instance', '>= 0.40', (round) => `${round}`),
  ],
};

/** One attempt runs and waits for its model, so that nothing but admissions is at work. */
async function admissions(
  what: string,
  target: string,
  idOf: (round: number, index: number) => string,
): Promise<Line> {
  const pairs: Pair[] = [];
  playSilence();
  await withOrders(
    async (file) => {
      let before: Written | undefined;
      for (let round = 0; round < WARM_UP + ROUNDS; round++) {
        const { transactions, ms } = await admit((index) => idOf(round, index));
        const written = readWritten(file);
        const rows = before ? since(before, written) : written;
        before = written;
        if (round < WARM_UP) continue;
        const raw = await withFolder((folder) =>
          writeAdmissions(join(folder, 'raw.db'), rows, DISPATCHES, transactions),
        );
        pairs.push({ ours: perSecond(ms), peer: perSecond(raw) });
      }
    },
    { execution: { concurrency: 1 } },
  );
  return lineOf({ what, unit: '/s', beside: 'better-sqlite3, same rows and transactions', target }, pairs);
}

async function admit(idOf: (index: number) => string): Promise<{ transactions: number; ms: number }> {
  let ms = 0;
  const send = (index: number) => dispatch(Orders, { id: idOf(index), message: `Where is order ${index}?` });
  const { transactions } = await callsDuring(async () => {
    ms = await timed(() => inFlight(DISPATCHES, SENDERS, send));
  });
  return { transactions, ms };
}

/** The rows that a round has added. */
function since(before: Written, after: Written): Written {
  return {
    schema: after.schema,
    instances: after.instances.slice(before.instances.length),
    submissions: after.submissions.slice(before.submissions.length),
    batches: after.batches.slice(before.batches.length),
  };
}

function perSecond(ms: number): number {
  return (DISPATCHES / ms) * 1000;
}
