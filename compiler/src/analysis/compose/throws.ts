import type { Exec } from './flow-types.ts';
import type { Count, World } from './world.ts';

/** A path that a throw ends, on its way to whoever takes the error. */
export interface Thrown {
  readonly world: World;
  /** the hook whose refusal is thrown; a render fails by it unless it is taken */
  readonly refused: Refused | undefined;
}

/** What a render declared again: under which key, and how often it was asked for then. */
interface Refused {
  readonly key: string;
  readonly count: Count;
}

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
