import { start } from '@flue/runtime/node';
import { dyingStore } from './dying-store.ts';
import { playTill, send, Till, till } from './till.ts';

/* One process that plays the run on the file DB and, unless KILL is none of its writes, dies on the way. */
playTill();
const flue = await start({ agents: [Till], db: dyingStore() });
await till().read(await send('first'));
await flue.stop();
process.disconnect();
