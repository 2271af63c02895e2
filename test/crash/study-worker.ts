import { start } from '@flue/runtime/node';
import { dyingStore } from './dying-store.ts';
import { order, playStudy, Study, study } from './study.ts';

/* One process that plays the run on the file DB and dies on the way. */
playStudy();
const flue = await start({ agents: [Study], db: dyingStore() });
await study().read(await order());
await flue.stop();
process.disconnect();
