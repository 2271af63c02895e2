import type * as Fs from 'node:fs';
import type * as Path from 'node:path';

/** What a test has made of the system: nothing, until it says so. */
export const system = {
  /** paths as Windows has them: a drive, `\` between the parts, letter case that decides nothing */
  isWindows: false,
  /** the order in which a directory gives its entries */
  order: <T>(entries: T[]): T[] => entries,
};

/** `/a/b` as Windows would name it. */
export function windowsPath(path: string): string {
  return `C:${path.replaceAll('/', '\\')}`;
}

/** `node:path` of the system that the test has chosen, at the time of each call. */
export function pathOf(actual: typeof Path): Record<string, unknown> {
  return following(actual, (name) => Reflect.get(system.isWindows ? actual.win32 : actual.posix, name));
}

/** `node:fs` under the paths of the chosen system. */
export function fsOf(actual: typeof Fs): Record<string, unknown> {
  const real = (path: unknown) =>
    system.isWindows && typeof path === 'string' ? diskPath(actual, path) : path;
  const onPaths =
    (run: (...args: unknown[]) => unknown) =>
    (...[first, ...rest]: unknown[]) =>
      run(real(first), ...rest);
  const named = (path: string) => (system.isWindows ? windowsPath(path) : path);
  const realpathSync = Object.assign((path: string) => named(actual.realpathSync(real(path) as string)), {
    native: (path: string) => named(actual.realpathSync.native(real(path) as string)),
  });
  const readdirSync = (path: unknown, ...rest: unknown[]) =>
    system.order(Reflect.apply(actual.readdirSync, undefined, [real(path), ...rest]) as unknown[]);
  const renameSync = (from: unknown, to: unknown) =>
    actual.renameSync(real(from) as string, real(to) as string);
  const replaced: Record<string, unknown> = { realpathSync, readdirSync, renameSync };
  for (const name of [
    'readFileSync',
    'writeFileSync',
    'statSync',
    'lstatSync',
    'existsSync',
    'openSync',
    'mkdirSync',
    'rmSync',
  ])
    replaced[name] = onPaths(actual[name as 'rmSync'] as (...args: unknown[]) => unknown);
  return following(actual, (name) => replaced[name] ?? actual[name as keyof typeof Fs]);
}

/** A module whose exports are looked up each time that one is used. */
function following(actual: object, get: (name: string) => unknown): Record<string, unknown> {
  const module: Record<string, unknown> = {};
  for (const name of Object.keys(actual)) {
    if (name !== 'default') Object.defineProperty(module, name, { enumerable: true, get: () => get(name) });
  }
  return Object.defineProperty(module, 'default', { enumerable: true, get: () => module });
}

/** Where this machine has what Windows would find under the path, letter case aside. */
function diskPath({ existsSync, readdirSync }: typeof Fs, path: string): string {
  const plain = path.replace(/^[A-Za-z]:(?=[\\/])/, '').replaceAll('\\', '/');
  if (existsSync(plain)) return plain;
  let found = '/';
  for (const part of plain.split('/').filter(Boolean)) {
    const entries = existsSync(found) ? readdirSync(found) : [];
    const entry = entries.find((name) => name.toLowerCase() === part.toLowerCase());
    found = `${found === '/' ? '' : found}/${entry ?? part}`;
  }
  return found;
}
