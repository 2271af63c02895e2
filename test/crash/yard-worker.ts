import { writeSync } from 'node:fs';
import { sqlite, start } from '@flue/runtime/node';
import { type KillPoint, killAt } from './kill-at.ts';
import { playYard, send, Yard, yard } from './yard.ts';

/* One process that plays the run on the file DB and, unless KILL is none of its writes, dies on the way. */
const point = JSON.parse(process.env.KILL ?? '{"call":0,"when":"before"}') as KillPoint;

playYard();
const db = killAt(sqlite(process.env.DB as string), point, (write) => writeSync(2, `${point.when} ${write}`));
const flue = await start({ agents: [Yard], db });
await yard().read(await send());
await flue.stop();
process.disconnect();
