import { init } from '@flue/runtime';
import type { PersistenceAdapter } from '@flue/runtime/adapter';
import { start } from '@flue/runtime/node';
import { openStore } from '../support/stream.ts';
import { Clerk, carryOut, type Form, type Order, playClerk, sendForm } from './clerk.ts';
import { dyingStore } from './dying-store.ts';

/*
 * One life on the file DB: recovers what an earlier one left, carries out ORDERS and waits for all forms of FORMS, if
 * nothing kills it on the way. Tells { booted } as soon as start() has resolved.
 */
const orders = JSON.parse(process.env.ORDERS as string) as Order[];
const forms = JSON.parse(process.env.FORMS as string) as Form[];

let ownerId: string | undefined;
let passBegan = 0;
let claimedAfterMs: number | undefined;

/** Measures from the beginning of the recovery pass, which beats first, to the claim that it makes (OWN-10). */
function timed(adapter: PersistenceAdapter): PersistenceAdapter {
  return {
    ...adapter,
    async connect() {
      const store = await adapter.connect();
      return {
        ...store,
        beat(self, o) {
          ownerId ??= self.ownerId;
          passBegan ||= performance.now();
          return store.beat(self, o);
        },
        async claim(...args) {
          const claims = await store.claim(...args);
          if (claims.length > 0) claimedAfterMs ??= performance.now() - passBegan;
          return claims;
        },
      };
    },
  };
}

/** Instances that still belong to somebody else, who can only be dead. */
async function leftBehind(): Promise<string[]> {
  const paths = [...new Set(forms.map(({ to }) => `agents/Clerk/${to}`))];
  return openStore(process.env.DB as string, async (store) => {
    const views = await Promise.all(paths.map((path) => store.load(path)));
    return views.flatMap((view) => {
      const owner = view?.instance.ownerId;
      return owner && owner !== ownerId ? [`${view.instance.path} of ${owner}`] : [];
    });
  });
}

playClerk();
const flue = await start({ agents: [Clerk], db: timed(dyingStore()) });
process.send?.({ booted: { claimedAfterMs, leftBehind: await leftBehind() } });
// An abort may find nobody there; what a send owes is checked in the end.
await Promise.all(orders.map((order) => carryOut(order).catch(() => {})));
await Promise.all(
  forms.map(async ({ to, form }) => {
    const receipt = await sendForm(to, form);
    await init(Clerk, { id: to })
      .read(receipt)
      .catch(() => {});
  }),
);
await flue.stop();
process.disconnect();
