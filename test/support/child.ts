import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A process of a test's own. */
export interface Child {
  /** everything it wrote to stderr */
  readonly errors: () => string;
  /** The next message that has the field, or one that came already. Rejects when the process ends first. */
  message<T = Record<string, unknown>>(field: string): Promise<T>;
  send(message: object): void;
  /** SIGKILL, and its end awaited. */
  kill(): Promise<void>;
  /** Its end, however it comes: the signal that ended it, or its exit code. */
  readonly ended: Promise<NodeJS.Signals | number>;
}

/** Runs a file of JavaScript, as `bundleModule()` makes it. */
export function startChild(file: string, env: Record<string, string>): Child {
  const child = fork(file, {
    execArgv: [],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  const received: Record<string, unknown>[] = [];
  let errors = '';
  child.stderr?.on('data', (data) => {
    errors += data;
  });
  child.on('message', (message) => received.push(message as Record<string, unknown>));
  const ended = once(child, 'exit');
  return {
    errors: () => errors,
    async message(field) {
      const gone = ended.then(([code, signal]) => {
        throw new Error(`The process ended (${code ?? signal}) before it told "${field}".\n${errors}`);
      });
      gone.catch(() => {});
      for (;;) {
        const found = received.find((message) => field in message);
        if (found) {
          received.splice(received.indexOf(found), 1);
          return found as never;
        }
        await Promise.race([once(child, 'message'), gone]);
      }
    },
    // One that is gone hears nothing; its end tells the caller.
    send: (message) => void child.send(message, () => {}),
    ended: ended.then(([code, signal]) => signal ?? code),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
