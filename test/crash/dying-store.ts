import { writeSync } from 'node:fs';
import type { PersistenceAdapter } from '@flue/runtime/adapter';
import { sqlite } from '@flue/runtime/node';
import { type KillPoint, killAt } from './kill-at.ts';

/** The store of a worker, on the file DB: the process dies at KILL, if that is one of its writes, and says which it was. */
export function dyingStore(): PersistenceAdapter {
  const point = JSON.parse(process.env.KILL ?? '{"call":0,"when":"before"}') as KillPoint;
  return killAt(sqlite(process.env.DB as string), point, (write) => writeSync(2, `${point.when} ${write}`));
}
