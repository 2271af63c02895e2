import type { SessionEnv } from '../../ports/sandbox.ts';
import { originOf } from './overlay.ts';

/** The last work on each path of an environment, by its resolved spelling. */
const lines = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Changes of one file happen one after the other, in the order in which they were asked for (BLT-01, TURN-07); whatever
 * else goes on stays parallel. The signal is looked at after the wait, and never between the start and the end of a
 * change (BLT-02).
 */
export async function inFileOrder<T>(
  env: SessionEnv,
  path: string,
  signal: AbortSignal | undefined,
  change: () => Promise<T>,
): Promise<T> {
  const place = originOf(env);
  const own = lines.get(place) ?? new Map<string, Promise<unknown>>();
  lines.set(place, own);
  const file = env.resolvePath(path);
  const turn = (own.get(file) ?? Promise.resolve()).then(() => {
    signal?.throwIfAborted();
    return change();
  });
  const done = turn.catch(() => {});
  own.set(file, done);
  try {
    return await turn;
  } finally {
    if (own.get(file) === done) own.delete(file);
  }
}
