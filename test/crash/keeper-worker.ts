import { writeSync } from 'node:fs';
import { sqlite, start } from '@flue/runtime/node';
import { Keeper, playKeeper, playThrough } from './keeper.ts';
import { type KillPoint, killAt } from './kill-at.ts';

/* One process that plays the run on the file DB and dies on the way. */
const point = JSON.parse(process.env.KILL as string) as KillPoint;

playKeeper();
const db = killAt(sqlite(process.env.DB as string), point, (write) => writeSync(2, `${point.when} ${write}`));
const flue = await start({ agents: [Keeper], db });
await playThrough();
await flue.stop();
process.disconnect();
