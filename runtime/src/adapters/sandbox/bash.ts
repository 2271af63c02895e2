import {
  type EnvironmentSource,
  type ExecOptions,
  type FileStat,
  MAKES_CWD,
  type RemoveOptions,
  type SandboxApi,
  type SessionEnv,
  type ShellResult,
} from '../../ports/sandbox.ts';
import { parentPath } from '../../ports/sandbox-path.ts';
import { watchCommand } from './command-watch.ts';
import { weavePauses } from './pauses.ts';
import { createSandboxSessionEnv, timedOut } from './session-env.ts';
import { posixError } from './verb-error.ts';

/** What a just-bash instance has to offer (VBSH-03). */
export interface BashLike {
  exec(
    command: string,
    options?: { cwd?: string; env?: Record<string, string>; signal?: AbortSignal; stdin?: string },
  ): Promise<ShellResult>;
  getCwd(): string;
  readonly fs: {
    readFile(path: string): Promise<string>;
    readFileBuffer(path: string): Promise<Uint8Array>;
    writeFile(path: string, content: string | Uint8Array): Promise<void>;
    stat(path: string): Promise<FileStat>;
    lstat?(path: string): Promise<FileStat>;
    readdir(path: string): Promise<string[]>;
    exists(path: string): Promise<boolean>;
    mkdir(path: string, options?: { recursive?: boolean }): Promise<void>;
    rm(path: string, options?: RemoveOptions): Promise<void>;
    resolvePath(base: string, path: string): string;
  };
}

/**
 * A sandbox over a just-bash instance of your own (VBSH-01). `factory` runs when the environment is created, once per
 * attempt.
 */
export function bash(factory: () => BashLike | Promise<BashLike>): EnvironmentSource {
  return {
    [MAKES_CWD]: true,
    async createSessionEnv() {
      const instance: unknown = await factory();
      assertBashLike(instance);
      return bashSessionEnv(instance);
    },
  };
}

/** @param commandTimeoutMs the most that any command may take, milliseconds */
export function bashSessionEnv(
  instance: BashLike,
  { commandTimeoutMs }: { readonly commandTimeoutMs?: number } = {},
): SessionEnv {
  weavePauses(instance);
  return createSandboxSessionEnv(apiOf(instance, commandTimeoutMs), instance.getCwd());
}

function assertBashLike(value: unknown): asserts value is BashLike {
  const { exec, getCwd, fs } = (value ?? {}) as Partial<BashLike>;
  if (typeof exec === 'function' && typeof getCwd === 'function' && typeof fs === 'object' && fs) return;
  throw new Error(
    '[flue] BashFactory must return a Bash-like object. It needs exec(), getCwd() and fs, as a Bash of just-bash has.',
  );
}

function apiOf(instance: BashLike, commandTimeoutMs: number | undefined): SandboxApi {
  const { fs } = instance;
  return {
    readFile: (path) => fs.readFile(path),
    readFileBuffer: (path) => fs.readFileBuffer(path),
    async writeFile(path, content) {
      await assertWritable(fs, path);
      await fs.writeFile(path, content);
    },
    async stat(path) {
      const found = await fs.stat(path);
      const link = await fs.lstat?.(path);
      return { ...found, isSymbolicLink: link?.isSymbolicLink ?? found.isSymbolicLink ?? false };
    },
    readdir: (path) => fs.readdir(path),
    exists: (path) => fs.exists(path),
    mkdir: (path, o) => fs.mkdir(path, o),
    rm: (path, o) => fs.rm(path, o),
    exec: (command, o = {}) => exec(instance, command, limited(o, commandTimeoutMs)),
  };
}

function limited(o: ExecOptions, most: number | undefined): ExecOptions {
  return most === undefined ? o : { ...o, timeoutMs: Math.min(o.timeoutMs ?? most, most) };
}

/** The in-memory file system would replace a directory by a file, and put files below a file. */
async function assertWritable(fs: BashLike['fs'], path: string): Promise<void> {
  const kind = async (one: string) => ((await fs.exists(one)) ? fs.stat(one) : undefined);
  if ((await kind(path))?.isDirectory) throw posixError('EISDIR', 'is a directory', 'writeFile', path);
  for (let parent = parentPath(path); parent !== '/'; parent = parentPath(parent)) {
    const found = await kind(parent);
    if (found && !found.isDirectory) throw posixError('ENOTDIR', 'not a directory', 'writeFile', path);
    if (found) return;
  }
}

async function exec(instance: BashLike, command: string, o: ExecOptions): Promise<ShellResult> {
  const { signal, timeoutMs, cwd, env, stdin } = o;
  const watch = watchCommand(signal, timeoutMs);
  try {
    const result = await instance.exec(command, {
      ...(cwd !== undefined && { cwd }),
      ...(env && { env }),
      ...(stdin !== undefined && { stdin }),
      signal: watch.signal,
    });
    // The interpreter answers a stop with the same code as a `timeout` in the script does.
    return watch.expired && result.exitCode === 124
      ? timedOut(timeoutMs!, { stdout: result.stdout })
      : result;
  } catch (error) {
    if (watch.expired) return timedOut(timeoutMs!);
    throw error;
  } finally {
    watch.end();
  }
}
