import { lstat, mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { misuse } from '../../errors/flue-error.ts';
import { unknownField } from '../../errors/unknown-field.ts';
import {
  CONFINED,
  type EnvironmentSource,
  type FileStat,
  GIVEN_ENV,
  type RemoveOptions,
  type SandboxApi,
} from '../../ports/sandbox.ts';
import { createSandboxSessionEnv } from '../sandbox/session-env.ts';
import { confined } from './confined.ts';
import { readRegularFile, replaceFile } from './host-files.ts';
import { runLocalCommand } from './local-command.ts';

export interface LocalOptions {
  /** default the process's own; made absolute */
  cwd?: string;
  /** on top of what commands see of the host; `undefined` drops a variable */
  env?: Record<string, string | undefined>;
  /**
   * File verbs and file tools refuse what really lies outside. It confines no command, so models get no `bash` unless
   * the factory is given `tools` (LOC-09).
   */
  root?: string;
  /** file verbs and file tools change nothing; of commands the same holds as with `root` */
  readOnly?: boolean;
}

/** What commands see of the host's environment (LOC-03). */
const PASSED_ON = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'HOSTNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TERM',
  'TMPDIR',
  'TMP',
  'TEMP',
];

/**
 * The host itself: real files and real processes (LOC-01). It isolates nothing, so it is for your own machine and for
 * hosts that are thrown away.
 *
 * @throws TypeError for an `env` that is no record; Error for an unknown option
 */
export function local(options: LocalOptions = {}): EnvironmentSource {
  const problem = unknownField(options, ['cwd', 'env', 'root', 'readOnly']);
  if (problem) throw misuse(`local() ${problem}`);
  const { env: own = {}, cwd: given = process.cwd(), root, readOnly = false } = options;
  if (typeof own !== 'object' || own === null || Array.isArray(own)) {
    throw new TypeError('[flue] local(): env must be an object of strings.');
  }
  if (typeof given !== 'string' || given === '') throw misuse('local(): cwd must be a non-empty string.');
  if (root !== undefined && (typeof root !== 'string' || root === '')) {
    throw misuse('local(): root must be a non-empty string.');
  }
  if (typeof readOnly !== 'boolean') throw misuse('local(): readOnly must be a boolean.');
  const env = commandEnv(own);
  const cwd = resolve(given);
  const bounds = { root: root === undefined ? undefined : resolve(root), readOnly };
  const ownEnv = Object.fromEntries(Object.entries(env).filter(([name]) => Object.hasOwn(own, name)));
  return {
    [GIVEN_ENV]: ownEnv,
    [CONFINED]: root !== undefined || readOnly,
    async createSessionEnv() {
      const found = await stat(cwd).catch(() => undefined);
      if (!found?.isDirectory()) throw new Error(`[flue] local(): the directory "${cwd}" does not exist.`);
      return createSandboxSessionEnv(confined(hostApi(env, bounds.root), bounds), cwd);
    },
  };
}

/** Taken when `local()` is called, so that what an agent sees does not depend on when its attempt begins. */
function commandEnv(own: Record<string, string | undefined>): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) delete env[name];
    else env[name] = String(value);
  }
  return env;
}

function hostApi(env: Record<string, string>, root: string | undefined): SandboxApi {
  return {
    readFile: async (path) => (await readRegularFile(path, root)).toString('utf8'),
    readFileBuffer: (path) => readRegularFile(path, root),
    writeFile: (path, content) => replaceFile(path, content, root),
    stat: statOf,
    readdir: (path) => readdir(path),
    exists: (path) =>
      stat(path).then(
        () => true,
        () => false,
      ),
    mkdir: async (path, o) => {
      await mkdir(path, { recursive: o?.recursive ?? false });
    },
    rm: remove,
    exec: (command, o) => runLocalCommand(command, { ...o, env: { ...env, ...o?.env } }),
  };
}

async function statOf(path: string): Promise<FileStat> {
  const [found, link] = await Promise.all([stat(path), lstat(path)]);
  return {
    isFile: found.isFile(),
    isDirectory: found.isDirectory(),
    isSymbolicLink: link.isSymbolicLink(),
    size: found.size,
    mtime: found.mtime,
  };
}

async function remove(path: string, { recursive = false, force = false }: RemoveOptions = {}): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  // Without `recursive` an empty directory goes, as everywhere else.
  if (found?.isDirectory() && !recursive) return rmdir(path);
  await rm(path, { recursive, force });
}
