import { readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPILER_VERSION } from '../emit/compiler-version.ts';
import { installedVersion } from '../project/package-info.ts';
import { checksum } from './framed.ts';

const SELF = dirname(dirname(fileURLToPath(import.meta.url)));
const NOT_ENGINE = /(?:^|[\\/])(?:examples|pairs)(?:[\\/]|$)|\.(?:test|fixture|kit)\.|\.map$|\.d\.ts$/;

/**
 * What decides how a text is read: this compiler and its TypeScript (CACHE-01). An installed package is what its version
 * says; sources that are being worked on are told apart by their sizes and times.
 */
export function engineKey(): string {
  const versions = [
    COMPILER_VERSION,
    installedVersion(SELF, 'ts-morph'),
    installedVersion(SELF, '@flue/runtime'),
  ];
  const isInstalled = SELF.split(sep).includes('node_modules');
  return checksum(JSON.stringify([...versions, isInstalled ? [] : fingerprintOf(SELF)]));
}

function fingerprintOf(root: string): string[] {
  const lines: string[] = [];
  const visit = (directory: string) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (NOT_ENGINE.test(path.slice(root.length))) continue;
      if (entry.isDirectory()) visit(path);
      else {
        const { size, mtimeMs } = statSync(path);
        lines.push(`${relative(root, path)} ${size} ${mtimeMs}`);
      }
    }
  };
  visit(root);
  return lines.sort();
}
