import { AsyncLocalStorage } from 'node:async_hooks';

/** The piece of work that author code runs for: what it writes becomes durable together with it (STATE-08). */
export interface Unit {
  /** path of the instance, so that a send can tell that it comes from inside (HND-12) */
  readonly instance: string;
  /** id of the tool call */
  readonly call?: string;
  /** name of the step of that call */
  readonly step?: string;
  /** names the seam whose callbacks run */
  readonly seam?: object;
}

const storage = new AsyncLocalStorage<Unit>();

/** Runs `work` as part of `unit`, across everything that it awaits. */
export function inUnit<T>(unit: Unit, work: () => T): T {
  return storage.run(unit, work);
}

export function currentUnit(): Unit | undefined {
  return storage.getStore();
}
