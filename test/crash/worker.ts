import { dispatch, init } from '@flue/runtime';
import { sqlite, start } from '@flue/runtime/node';
import { Cashier } from './agents.ts';

/*
 * One process of the crash tests: boots on the file DB, sends what SEND says, and reports on its channel.
 * Messages out: { booted } with milliseconds since the process began, { sent }, { settled } with outcome and time.
 */
const began = performance.timeOrigin;
const report = (message: object) => process.send?.({ ...message, at: Date.now() - began });

await start({ agents: [Cashier], db: sqlite(process.env.DB as string) });
report({ booted: true });

if (process.env.SEND) {
  const { dispatchId } = await dispatch(Cashier, { id: '1', message: process.env.SEND });
  report({ sent: dispatchId });
}

process.on('message', async ({ read }: { read: string }) => {
  const outcome = await init(Cashier, { id: '1' })
    .read(read)
    .then(
      (reply) => ({ outcome: 'completed', text: reply.text }),
      (error: { outcome: string }) => ({ outcome: error.outcome }),
    );
  report({ settled: read, ...outcome });
});
