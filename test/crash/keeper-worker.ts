import { start } from '@flue/runtime/node';
import { dyingStore } from './dying-store.ts';
import { Keeper, playKeeper, playThrough } from './keeper.ts';

/* One process that plays the run on the file DB and dies on the way. */
playKeeper();
const flue = await start({ agents: [Keeper], db: dyingStore() });
await playThrough();
await flue.stop();
process.disconnect();
