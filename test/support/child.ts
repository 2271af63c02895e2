import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A module as a process of its own, on the sources of the workspace. */
export interface Child {
  readonly process: ChildProcess;
  /** everything it wrote to stderr */
  readonly errors: () => string;
  /** The next message that has the field, or one that came already. Rejects when the process ends first. */
  message<T = Record<string, unknown>>(field: string): Promise<T>;
  send(message: object): void;
  /** SIGKILL, and its end awaited. */
  kill(): Promise<void>;
  /** Its end, however it comes: the signal that ended it, or its exit code. */
  readonly ended: Promise<NodeJS.Signals | number>;
  /** SIGTERM, and its exit code awaited. */
  stop(): Promise<number | null>;
}

/** @param module TypeScript, or JavaScript made by `bundleModule()`, which boots without a transpiler */
export function startChild(module: URL, env: Record<string, string>): Child {
  const path = fileURLToPath(module);
  const child = fork(path, {
    execArgv: path.endsWith('.ts') ? ['--conditions=flue-source', '--import', 'tsx'] : [],
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
    process: child,
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
    send: (message) => child.send(message),
    ended: ended.then(([code, signal]) => signal ?? code),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const [code] = await ended;
      return code as number | null;
    },
  };
}
