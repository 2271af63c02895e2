import type { Tape } from './tape.ts';

/** On the global object, so that a test and a server bundled apart from it in one process share the tape. */
const KEY = Symbol.for('@flue/runtime.tape');
const holder = globalThis as { [KEY]?: Tape | undefined };

/** Makes the models of this process go through `tape`, in place of any other; `undefined` takes it away. */
export function installTape(tape: Tape | undefined): void {
  holder[KEY] = tape;
}

export function installedTape(): Tape | undefined {
  return holder[KEY];
}
