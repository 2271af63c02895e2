import { start } from '@flue/runtime/node';
import { Desk, desk, playDesk, send } from './desk.ts';
import { dyingStore } from './dying-store.ts';

/* One process that plays the run on the file DB and, unless KILL is none of its writes, dies on the way. */
playDesk();
const flue = await start({ agents: [Desk], db: dyingStore() });
await desk().read(await send('first'));
await flue.stop();
process.disconnect();
