import { start } from '@flue/runtime/node';
import { Crew, crew, order, playCrew } from './crew.ts';
import { dyingStore } from './dying-store.ts';

/* One process that plays the run on the file DB and, unless KILL is none of its writes, dies on the way. */
playCrew();
const flue = await start({ agents: [Crew], db: dyingStore() });
await crew().read(await order());
await flue.stop();
process.disconnect();
