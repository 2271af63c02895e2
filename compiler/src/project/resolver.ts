import { isBuiltin } from 'node:module';
import { dirname, extname, join, relative, resolve, sep } from 'node:path';
import type ts from 'typescript';
import type { Resolution, TypeScript } from '../analysis/host.ts';
import { existsSync, isDirectory, isFile, readFileSync, realpathSync } from './disk.ts';
import { type Memoized, memoized } from './memoized.ts';
import type { Tsconfigs } from './tsconfig.ts';

const RUNTIME = '@flue/runtime';
const MODULE = /\.[cm]?[jt]sx?$/;
const DECLARATION = /\.d\.[cm]?ts$/;
/** `virtual:`, `cloudflare:`, `bun:`, `https:` ...: the bundler or the platform owns them; not a drive letter */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i;

export interface Resolver {
  resolve(specifier: string, fromPath: string): Resolution;
  /** Files that were just found where they lie, by absolute real path with project path: nobody need look for them again. */
  found(files: ReadonlyMap<string, string>): void;
  forget(): void;
}

/** Where specifiers lead, as the nearest tsconfig of the importing file says (RULE-10). Paths are relative to `root`. */
export function createResolver(load: () => TypeScript, root: string, tsconfigs: Tsconfigs): Resolver {
  const caches = new Map<ts.CompilerOptions, ts.ModuleResolutionCache>();
  const realPath = memoized((path: string) => realpathSync.native(path));
  const runtimeOf: Memoized<string | undefined> = memoized((directory) => {
    const own = join(directory, 'node_modules', RUNTIME);
    if (existsSync(own)) return realPath(own);
    return dirname(directory) === directory ? undefined : runtimeOf(dirname(directory));
  });
  let scanned: ReadonlyMap<string, string> = new Map();
  const listsRuntime = memoized((directory: string) => dependsOnFlue(directory));

  const toProjectPath = (path: string) =>
    scanned.get(path) ?? relative(root, realPath(path)).split(sep).join('/');

  const moduleFile = (specifier: string, from: string): string | undefined => {
    const options = tsconfigs.optionsFor(from);
    const plain = options.moduleSuffixes === undefined ? plainFile(specifier, from, scanned) : undefined;
    if (plain !== undefined) return plain;
    const api = load();
    const host = resolutionHost(api, root);
    let cache = caches.get(options);
    if (cache === undefined) {
      cache = api.createModuleResolutionCache(root, (name) => name, options);
      caches.set(options, cache);
    }
    const mode = api.ModuleKind.ESNext;
    return api.resolveModuleName(specifier, from, options, host, cache, undefined, mode).resolvedModule
      ?.resolvedFileName;
  };

  const asset = (specifier: string, from: string): Resolution | undefined => {
    const [bare = '', query] = specifier.split('?', 2);
    if (query === undefined && (extname(bare) === '' || MODULE.test(bare))) return undefined;
    const path = resolve(dirname(from), bare);
    const isRelative = bare.startsWith('.');
    if (isRelative && isFile(path)) {
      return { kind: 'asset', path: toProjectPath(path) };
    }
    // A dotted basename such as `./orders.tools` is a module whose extension was left out.
    return query === undefined ? undefined : { kind: 'asset' };
  };

  return {
    resolve(specifier, fromPath) {
      const from = resolve(root, fromPath);
      if (specifier === RUNTIME || specifier.startsWith(`${RUNTIME}/`)) {
        const copy = runtimeOf(dirname(from));
        const entry = specifier.slice(RUNTIME.length + 1) || '.';
        return {
          kind: 'flue',
          entry,
          ...(copy !== undefined && { realPath: toProjectPath(copy) }),
        };
      }
      if (specifier === 'valibot') return { kind: 'valibot' };
      if (isBuiltin(specifier) || SCHEME.test(specifier)) return { kind: 'package', name: specifier };

      const found = asset(specifier, from);
      if (found !== undefined) return found;
      const module = moduleFile(specifier, from);
      const described = module === undefined ? undefined : describedFile(module);
      if (described !== undefined) return { kind: 'asset', path: toProjectPath(described) };
      if (module === undefined) {
        return /\.[a-z0-9]+$/i.test(specifier) && !MODULE.test(specifier) && !specifier.startsWith('.')
          ? { kind: 'asset' }
          : { kind: 'unresolved' };
      }
      const file = scanned.has(module) ? module : realPath(module);
      const isPackage = file.split(sep).includes('node_modules') || DECLARATION.test(file);
      if (!isPackage) return { kind: MODULE.test(file) ? 'project' : 'asset', path: toProjectPath(file) };
      return { kind: 'package', name: specifier, dependsOnFlue: listsRuntime(dirname(file)) };
    },
    found(files) {
      scanned = files;
    },
    forget() {
      scanned = new Map();
      caches.clear();
      for (const memory of [realPath, runtimeOf, listsRuntime]) memory.forget();
    },
  };
}

/**
 * `./x.ts`, and `./x.js` where there is an `x.ts`: what TypeScript looks for first under every resolution, so that it
 * need not be asked. Nearly all imports of a project are of this kind.
 */
function plainFile(
  specifier: string,
  from: string,
  scanned: ReadonlyMap<string, string>,
): string | undefined {
  const [, base, extension] = /^(\.{1,2}\/.*)\.([mc]?)[jt]s$/.exec(specifier) ?? [];
  if (base === undefined || DECLARATION.test(specifier)) return undefined;
  const path = resolve(dirname(from), `${base}.${extension}ts`);
  return scanned.has(path) || isFile(path) ? path : undefined;
}

/**
 * TypeScript finds what is no module, such as the `SKILL.md` of a package or behind an alias, where `SKILL.d.md.ts` would
 * describe it. Its rules for packages and aliases are wanted, so it is told that there is one beside each such file.
 */
function describedFile(path: string): string | undefined {
  const [, base, extension] = /^(.+)\.d\.([a-z0-9]+)\.ts$/i.exec(path) ?? [];
  const file = `${base}.${extension}`;
  return base !== undefined && !MODULE.test(file) && !isFile(path) && isFile(file) ? file : undefined;
}

function resolutionHost(api: TypeScript, root: string): ts.ModuleResolutionHost {
  return {
    fileExists: (path) => isFile(path) || describedFile(path) !== undefined,
    directoryExists: isDirectory,
    readFile: (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
    realpath: (path) => (existsSync(path) ? realpathSync.native(path) : path),
    getCurrentDirectory: () => root,
    useCaseSensitiveFileNames: api.sys.useCaseSensitiveFileNames,
  };
}

/** Whether the package that a file belongs to lists our runtime (RULE-13). */
function dependsOnFlue(directory: string): boolean {
  const path = join(directory, 'package.json');
  if (!existsSync(path)) return dirname(directory) !== directory && dependsOnFlue(dirname(directory));
  try {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(path, 'utf8'));
    return RUNTIME in { ...dependencies, ...peerDependencies };
  } catch {
    return false;
  }
}
