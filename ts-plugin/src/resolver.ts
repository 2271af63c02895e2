import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { Resolution, TypeScript } from '@flue/compiler/analysis';
import type ts from 'typescript';
import type { Places } from './places.ts';

const RUNTIME = '@flue/runtime';
const MODULE = /\.[cm]?[jt]sx?$/;
const DECLARATION = /\.d\.[cm]?ts$/;
/** `virtual:`, `cloudflare:`, `https:` ...: the bundler or the platform owns them; a drive has one letter */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i;

/**
 * Where specifiers lead by the editor's own compiler options (RULE-10), put in the same words as by the other hosts
 * (RULE-01). What it remembers is good for one look: files may come between two.
 */
export function createResolver(
  api: TypeScript,
  { languageServiceHost }: ts.server.PluginCreateInfo,
  places: Places,
  programOptions: ts.CompilerOptions,
  root: string,
): (specifier: string, fromPath: string) => Resolution {
  const options = forResolution(api, programOptions);
  const cache = api.createModuleResolutionCache(root, (name) => name, options);

  const moduleFile = (specifier: string, from: string): string | undefined => {
    const mode = api.ModuleKind.ESNext;
    return api.resolveModuleName(specifier, from, options, languageServiceHost, cache, undefined, mode)
      .resolvedModule?.resolvedFileName;
  };
  const runtimeAbove = (directory: string): string | undefined => {
    const own = posix.join(directory, 'node_modules', RUNTIME);
    if (places.directoryExists(own)) return places.realPath(own);
    const parent = posix.dirname(directory);
    return parent === directory ? undefined : runtimeAbove(parent);
  };
  const assetAt = (specifier: string, from: string): Resolution | undefined => {
    const [bare = '', query] = specifier.split('?', 2);
    if (query === undefined && (posix.extname(bare) === '' || MODULE.test(bare))) return undefined;
    const path = posix.resolve(posix.dirname(from), bare);
    if (bare.startsWith('.') && places.fileExists(path)) {
      return { kind: 'asset', path: places.projectPath(root, places.realPath(path)) };
    }
    // A dotted basename such as `./orders.tools` is a module whose extension was left out.
    return query === undefined ? undefined : { kind: 'asset' };
  };

  return (specifier, fromPath) => {
    const from = places.absolute(root, fromPath);
    if (specifier === RUNTIME || specifier.startsWith(`${RUNTIME}/`)) {
      const realPath = runtimeAbove(posix.dirname(from));
      const entry = specifier.slice(RUNTIME.length + 1) || '.';
      return { kind: 'flue', entry, ...(realPath !== undefined && { realPath }) };
    }
    if (specifier === 'valibot') return { kind: 'valibot' };
    if (isBuiltin(specifier) || SCHEME.test(specifier)) return { kind: 'package', name: specifier };

    const asset = assetAt(specifier, from);
    if (asset !== undefined) return asset;
    const module = moduleFile(specifier, from);
    if (module === undefined) return { kind: isForeignFile(specifier) ? 'asset' : 'unresolved' };
    const file = places.realPath(module);
    if (file.includes('/node_modules/') || DECLARATION.test(file)) {
      return { kind: 'package', name: specifier, dependsOnFlue: dependsOnFlue(places, posix.dirname(file)) };
    }
    return { kind: MODULE.test(file) ? 'project' : 'asset', path: places.projectPath(root, file) };
  };
}

/** JavaScript modules count, whatever the project type-checks (RULE-12). */
function forResolution(api: TypeScript, options: ts.CompilerOptions): ts.CompilerOptions {
  return {
    ...options,
    allowJs: true,
    moduleResolution: options.moduleResolution ?? api.ModuleResolutionKind.Bundler,
  };
}

/** A file of a package that is no module, such as `some-package/styles.css`. */
function isForeignFile(specifier: string): boolean {
  return /\.[a-z0-9]+$/i.test(specifier) && !MODULE.test(specifier) && !specifier.startsWith('.');
}

/** Whether the package that a file belongs to lists our runtime (RULE-13). */
function dependsOnFlue(places: Places, directory: string): boolean {
  const path = posix.join(directory, 'package.json');
  if (!places.fileExists(path)) {
    return posix.dirname(directory) !== directory && dependsOnFlue(places, posix.dirname(directory));
  }
  try {
    const { dependencies, peerDependencies } = JSON.parse(places.read(path) ?? '');
    return RUNTIME in { ...dependencies, ...peerDependencies };
  } catch {
    return false;
  }
}
