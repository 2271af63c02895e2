import { join } from 'node:path';
import { init } from '@flue/runtime';
import { sqlite, start } from '@flue/runtime/node';
import { inFlight } from '../support/measurement.ts';
import { Orders, playAnswers } from '../support/orders.ts';

const [, , folder, round] = process.argv as [string, string, string, string];

const script = playAnswers();
const flue = await start({ agents: [Orders], db: sqlite(join(folder, `memory-${round}.db`)) });
const reply = (index: number) => init(Orders, { id: String(index) }).dispatch('Where is order 7?');

await inFlight(10, 10, reply);
script.reset();
const few = resident();
await inFlight(990, 64, (index) => reply(10 + index));
// The script keeps every request; what it would hold on to is no cost of the runtime.
script.reset();
console.log(JSON.stringify({ few, many: resident() }));
await flue.stop();

/** MB that are still held when nothing is left to collect. */
function resident(): number {
  for (let pass = 0; pass < 3; pass++) globalThis.gc?.();
  return process.memoryUsage.rss() / 2 ** 20;
}
