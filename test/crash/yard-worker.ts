import { start } from '@flue/runtime/node';
import { dyingStore } from './dying-store.ts';
import { playYard, send, Yard, yard } from './yard.ts';

/* One process that plays the run on the file DB and, unless KILL is none of its writes, dies on the way. */
playYard();
const flue = await start({ agents: [Yard], db: dyingStore() });
await yard().read(await send());
await flue.stop();
process.disconnect();
