import { dirname, posix } from 'node:path';

const EMITTED: Readonly<Record<string, string>> = { ts: 'js', tsx: 'js', mts: 'mjs', cts: 'cjs' };

/**
 * How a generated file imports a module of the project (EMIT-06): relative, POSIX, with an extension; the emitted one
 * where the project's tsconfig does not take TypeScript's. Both paths are relative to the project root.
 */
export function importSpecifier(fromFile: string, module: string, typescriptExtensions: boolean): string {
  const path = posix.relative(dirname(fromFile), module);
  const relative = path.startsWith('.') ? path : `./${path}`;
  if (typescriptExtensions) return relative;
  return relative.replace(/\.([cm]?tsx?)$/, (whole, extension: string) => {
    const emitted = EMITTED[extension];
    return emitted === undefined ? whole : `.${emitted}`;
  });
}
