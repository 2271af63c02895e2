import { misuse } from '../errors/flue-error.ts';
import type { FlueRuntime } from './runtime.ts';

/**
 * The process's runtime (STA-04). Kept on the global object, so that two bundles of one process (a server entry and a
 * second entry of the application) meet the same one.
 */
const KEY = Symbol.for('@flue/runtime.current');
const TAKEN = Symbol.for('@flue/runtime.taken');
const holder = globalThis as { [KEY]?: FlueRuntime | undefined; [TAKEN]?: boolean };

export function currentRuntime(): FlueRuntime | undefined {
  return holder[KEY];
}

/** For the surfaces that need a runtime: a plain `Error` that names `start()` when there is none (DSP-02). */
export function requireRuntime(what: string): FlueRuntime {
  const runtime = holder[KEY];
  if (!runtime) {
    throw misuse(
      `${what} needs a configured runtime. Call start() from '@flue/runtime/node' first, or run inside a built server.`,
    );
  }
  return runtime;
}

/** Takes this process's one place, from the first moment of a start on; false when it is taken (STA-04). */
export function takeRuntimePlace(): boolean {
  if (holder[TAKEN]) return false;
  holder[TAKEN] = true;
  return true;
}

/** After a failed start and after a stop: the process may start again. */
export function leaveRuntimePlace(): void {
  holder[KEY] = undefined;
  holder[TAKEN] = false;
}

export function setCurrentRuntime(runtime: FlueRuntime | undefined): void {
  holder[KEY] = runtime;
}
