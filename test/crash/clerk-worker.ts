import { writeSync } from 'node:fs';
import { sqlite, start } from '@flue/runtime/node';
import { Clerk, carryOut, type Order, playClerk } from './clerk.ts';
import { type KillPoint, killAt } from './kill-at.ts';

/* One of several processes on the file DB: carries orders out until it dies at KILL. Tells { done } after each. */
const point = JSON.parse(process.env.KILL as string) as KillPoint;

playClerk();
const db = killAt(sqlite(process.env.DB as string), point, (write) => writeSync(2, `${point.when} ${write}`));
await start({ agents: [Clerk], db });
process.on('message', async (order: Order) => {
  // An abort may find nobody there; what a send owes is checked in the end.
  await carryOut(order).catch(() => {});
  process.send?.({ done: true });
});
