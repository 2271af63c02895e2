import { FlueError } from '../../errors/flue-error.ts';
import type { ExecOptions, FileStat, SandboxApi, SessionEnv, ShellResult } from '../../ports/sandbox.ts';
import { parentPath, resolveSandboxPath } from '../../ports/sandbox-path.ts';
import { startTimer } from '../timer.ts';
import { verbError } from './verb-error.ts';

/** An `exec` that went on after its caller had aborted it, told of when it ends (SAPI-03). */
export interface OrphanedExecSettlement {
  command: string;
  startedAt: Date;
  abortedAt: Date;
  settledAt: Date;
  result?: ShellResult;
  error?: unknown;
}

export interface SessionEnvOptions {
  onOrphanSettled?(settlement: OrphanedExecSettlement): void;
}

/** How long past its limit a command may run before it is given up, milliseconds (SAPI-05). */
const OVERDUE_MS = 1000;

/** The most that one command may print, bytes (EXE-07). */
export const OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * An environment over a provider's verbs. What every environment owes is done here, once: one spelling of paths, missing
 * parents, POSIX errors, the race with an abort, limits of time and output, plain results.
 *
 * @param cwd absolute; where relative paths start
 */
export function createSandboxSessionEnv(
  api: SandboxApi,
  cwd: string,
  options: SessionEnvOptions = {},
): SessionEnv {
  const resolve = (path: string, operation: string) => resolveSandboxPath(cwd, path, operation);
  const at = async <T>(operation: string, path: string, work: (path: string) => Promise<T>): Promise<T> => {
    const resolved = resolve(path, operation);
    try {
      return await work(resolved);
    } catch (error) {
      throw verbError(error, operation, resolved);
    }
  };
  return {
    cwd,
    resolvePath: (path) => resolve(path, 'resolvePath'),
    readFile: (path) => at('readFile', path, (resolved) => api.readFile(resolved)),
    readFileBuffer: (path) =>
      at('readFileBuffer', path, async (p) => plainBytes(await api.readFileBuffer(p))),
    writeFile: (path, content) => at('writeFile', path, (resolved) => writeFile(api, resolved, content)),
    stat: (path) => at('stat', path, async (resolved) => knownFields(await api.stat(resolved))),
    readdir: (path) => at('readdir', path, async (resolved) => [...(await api.readdir(resolved))].sort()),
    exists: async (path) => {
      try {
        return Boolean(await api.exists(resolve(path, 'exists')));
      } catch {
        return false; // never throws, whatever it is asked about (FIL-05)
      }
    },
    mkdir: (path, o) => at('mkdir', path, (resolved) => api.mkdir(resolved, o)),
    rm: (path, o) => at('rm', path, (resolved) => api.rm(resolved, o)),
    ...(api.search && { search: api.search }),
    exec: (command, o = {}) => run(api, command, { ...o, cwd: resolve(o.cwd ?? cwd, 'exec') }, options),
  };
}

/** SAPI-02: parents are made when they turn out to be missing, and the second failure is the one that counts. */
async function writeFile(api: SandboxApi, path: string, content: string | Uint8Array): Promise<void> {
  try {
    await api.writeFile(path, content);
  } catch {
    await api.mkdir(parentPath(path), { recursive: true }).catch(() => {});
    await api.writeFile(path, content);
  }
}

async function run(
  api: SandboxApi,
  command: string,
  o: ExecOptions & { readonly cwd: string },
  { onOrphanSettled }: SessionEnvOptions,
): Promise<ShellResult> {
  const { signal, timeoutMs, cwd } = o;
  if (signal?.aborted) throw abortError(signal, 'The command was not started.');
  let over = false;
  let orphan: { readonly call: Promise<ShellResult>; readonly startedAt: Date } | undefined;
  const begin = async (): Promise<ShellResult> => {
    if (!(await isDirectory(api, cwd)))
      return { stdout: '', stderr: `cd: ${cwd}: No such directory\n`, exitCode: 1 };
    if (over) return { stdout: '', stderr: '', exitCode: 1 }; // given up meanwhile, so nobody reads it
    const startedAt = new Date();
    const call = api.exec(command, o);
    orphan = { call, startedAt };
    return call;
  };
  const ends: (() => void)[] = [];
  const stopped = new Promise<ShellResult>((expire, reject) => {
    if (signal) {
      const abort = () => {
        if (!orphan) return reject(abortError(signal, 'The command was not started.'));
        const { call, startedAt } = orphan;
        tellOfOrphan(call, { command, startedAt, abortedAt: new Date() }, onOrphanSettled);
        reject(abortError(signal, 'The command was aborted; it may still be running.'));
      };
      signal.addEventListener('abort', abort, { once: true });
      ends.push(() => signal.removeEventListener('abort', abort));
    }
    if (timeoutMs !== undefined) {
      const overdue = () => expire(timedOut(timeoutMs));
      ends.push(startTimer(timeoutMs + OVERDUE_MS, overdue, { keepsAlive: true }));
    }
  });
  try {
    // What a given-up call settles to later is observed by the race and dropped.
    return bounded(plainResult(await Promise.race([begin(), stopped])));
  } finally {
    over = true;
    for (const end of ends) end();
  }
}

async function isDirectory(api: SandboxApi, path: string): Promise<boolean> {
  try {
    return (await api.stat(path)).isDirectory;
  } catch (error) {
    if (FlueError.is(error, 'sandbox_died')) throw error;
    // A root confines file verbs; the shell sees for itself (LOC-09).
    return FlueError.is(error, 'sandbox_path_denied');
  }
}

function tellOfOrphan(
  call: Promise<ShellResult>,
  about: Pick<OrphanedExecSettlement, 'command' | 'startedAt' | 'abortedAt'>,
  tell: SessionEnvOptions['onOrphanSettled'],
): void {
  const settle = (end: Pick<OrphanedExecSettlement, 'result' | 'error'>) => {
    try {
      tell?.({ ...about, settledAt: new Date(), ...end });
    } catch {
      // An observer's own failure concerns nobody here.
    }
  };
  call.then(
    (result) => settle({ result: plainResult(result) }),
    (error: unknown) => settle({ error }),
  );
}

/** The result of a command that exceeded its limit, with what it had printed (EXE-04). */
export function timedOut(
  timeoutMs: number,
  printed: Partial<Pick<ShellResult, 'stdout' | 'stderr'>> = {},
): ShellResult {
  const before = printed.stderr ? `${printed.stderr.replace(/\n?$/, '\n')}` : '';
  return {
    stdout: printed.stdout ?? '',
    stderr: `${before}The command was stopped: it took longer than its limit of ${timeoutMs} ms.\n`,
    exitCode: 124,
  };
}

function abortError(signal: AbortSignal, message: string): Error {
  const error = new Error(message, { cause: signal.reason });
  error.name = 'AbortError';
  return error;
}

/** Only what the port promises, whatever an SDK returns (EXE-09); success has to be said (SAPI-06). */
function plainResult(result: Partial<ShellResult> | undefined): ShellResult {
  const { stdout, stderr, exitCode } = result ?? {};
  return {
    stdout: typeof stdout === 'string' ? stdout : '',
    stderr: typeof stderr === 'string' ? stderr : '',
    exitCode: Number.isInteger(exitCode) ? (exitCode as number) : 1,
  };
}

function bounded(result: ShellResult): ShellResult {
  if ((result.stdout.length + result.stderr.length) * 3 <= OUTPUT_BYTES) return result;
  const bytes = Buffer.byteLength(result.stdout) + Buffer.byteLength(result.stderr);
  if (bytes <= OUTPUT_BYTES) return result;
  const stdout = Buffer.from(result.stdout).subarray(0, OUTPUT_BYTES).toString();
  return { stdout, stderr: TOO_MUCH_OUTPUT, exitCode: 1 };
}

export const TOO_MUCH_OUTPUT = `The command was ended: it printed more than ${OUTPUT_BYTES} bytes.\n`;

function plainBytes(bytes: Uint8Array): Uint8Array {
  return Buffer.isBuffer(bytes) ? new Uint8Array(bytes) : bytes;
}

/** FIL-03: what is unknown is left out. */
function knownFields({ isFile, isDirectory, isSymbolicLink, size, mtime }: FileStat): FileStat {
  return {
    isFile,
    isDirectory,
    ...(isSymbolicLink !== undefined && { isSymbolicLink }),
    ...(size !== undefined && { size }),
    ...(mtime !== undefined && { mtime }),
  };
}
