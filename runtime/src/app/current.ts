import { misuse } from '../errors/flue-error.ts';
import type { FlueRuntime } from './runtime.ts';

/**
 * The process's runtime (STA-04). Kept on the global object, so that two bundles of one process (a server entry and a
 * second entry of the application) meet the same one.
 */
const KEY = Symbol.for('@flue/runtime.current');
const holder = globalThis as { [KEY]?: FlueRuntime | undefined };

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

export function setCurrentRuntime(runtime: FlueRuntime | undefined): void {
  holder[KEY] = runtime;
}
