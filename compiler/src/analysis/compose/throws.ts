import type { Exec, Refused } from './flow-types.ts';
import type { World } from './world.ts';

/** Paths leave by an error, into the `try` around them or out of the function. */
export function throwOut(exec: Exec, worlds: readonly World[], refused?: Refused): void {
  if (exec.thrown) exec.thrown.push(...worlds.map((world) => ({ world, refused })));
  else if (!refused) exec.mayThrow ||= worlds.length > 0;
  else {
    for (const world of worlds) {
      const counts = new Map(world.counts).set(refused.key, refused.count);
      exec.failed.push({ ...world, counts });
    }
  }
}
