import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { existsSync, readFileSync } from './disk.ts';
import { memoized } from './memoized.ts';

interface PackageJson {
  readonly name?: string;
  readonly version?: string;
}

/** What decides how agents are read: a change of one of them changes every closure (DET-06). */
const TOOLCHAIN = ['@flue/compiler', '@flue/runtime', '@valibot/to-json-schema', 'valibot'];

/** Versions of the toolchain as the project resolves them, or as this compiler does. */
export function toolchainVersions(root: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    TOOLCHAIN.map((name) => [name, installedVersion(root, name) ?? ownVersion(name) ?? 'unknown']),
  );
}

export function installedVersion(from: string, name: string): string | undefined {
  for (let directory = from; ; directory = dirname(directory)) {
    const found = readPackage(join(directory, 'node_modules', name, 'package.json'))?.version;
    if (found !== undefined || dirname(directory) === directory) return found;
  }
}

function ownVersion(name: string): string | undefined {
  const paths = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return paths
    .map((path) => readPackage(join(path, name, 'package.json'))?.version)
    .find((version) => version !== undefined);
}

export interface ModuleName {
  readonly path: string;
  readonly external?: true;
}

/** How modules are named where paths must mean the same on every machine (MAN-10). */
export function createModuleNames(root: string): (path: string) => ModuleName {
  const external = memoized((path: string): ModuleName => {
    const file = resolve(root, path);
    for (let directory = dirname(file); ; directory = dirname(directory)) {
      const name = readPackage(join(directory, 'package.json'))?.name;
      const isTop = dirname(directory) === directory;
      if (name === undefined && !isTop) continue;
      const inside = relative(isTop ? root : directory, file)
        .split(sep)
        .join('/');
      return { path: name === undefined ? inside : `${name}/${inside}`, external: true };
    }
  });
  return (path) => (path.startsWith('../') ? external(path) : { path });
}

function readPackage(path: string): PackageJson | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
