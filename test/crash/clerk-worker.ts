import { start } from '@flue/runtime/node';
import { Clerk, carryOut, type Order, playClerk } from './clerk.ts';
import { dyingStore } from './dying-store.ts';

/* One of several processes on the file DB: carries orders out until it dies at KILL. Tells { done } after each. */
playClerk();
await start({ agents: [Clerk], db: dyingStore() });
process.on('message', async (order: Order) => {
  // An abort may find nobody there; what a send owes is checked in the end.
  await carryOut(order).catch(() => {});
  process.send?.({ done: true });
});
