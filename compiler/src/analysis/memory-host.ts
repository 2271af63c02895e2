import type { AnalysisHost, Resolution, TypeScript } from './host.ts';

/**
 * A host over texts in memory, for tests and examples. Relative specifiers lead to the given files (with or without an
 * extension), `@flue/runtime` and `valibot` to themselves, `#nowhere/*` and missing files nowhere, the rest to packages.
 */
export function memoryHost(
  ts: TypeScript,
  files: Readonly<Record<string, string>>,
  more: Partial<Pick<AnalysisHost, 'resolveModelInfo' | 'sourceFile' | 'checker'>> = {},
): AnalysisHost {
  return {
    ts,
    read: (path) => (files[path] === undefined ? undefined : { text: files[path] }),
    resolve: (specifier, from) => resolve(files, specifier, from),
    ...more,
  };
}

function resolve(files: Readonly<Record<string, string>>, specifier: string, from: string): Resolution {
  if (specifier === '@flue/runtime' || specifier.startsWith('@flue/runtime/')) {
    return { kind: 'flue', entry: specifier.slice('@flue/runtime/'.length) || '.' };
  }
  if (specifier === 'valibot') return { kind: 'valibot' };
  if (specifier.startsWith('#nowhere/')) return { kind: 'unresolved' };
  if (!specifier.startsWith('.')) return { kind: 'package', name: specifier };
  const path = normalise(`${from.slice(0, from.lastIndexOf('/') + 1)}${specifier.replace(/\?.*$/, '')}`);
  if (/\.(?:md|json|html)$/.test(path))
    return files[path] === undefined ? { kind: 'unresolved' } : { kind: 'asset', path };
  const found = [path, `${path}.ts`, path.replace(/\.js$/, '.ts'), `${path}/index.ts`].find(
    (candidate) => candidate in files,
  );
  return found === undefined ? { kind: 'unresolved' } : { kind: 'project', path: found };
}

function normalise(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
