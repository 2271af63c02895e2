import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createGeneratedFolder } from '../emit/generated-folder.ts';

/** Where a process that was killed may have left half a file; nobody writes for as long as this. */
const ABANDONED_MS = 600_000;

/**
 * The folder that holds what only makes the next run faster (CACHE-01), or `undefined` where none can be made: nothing
 * here is ever an error, and everything here may vanish at any time (CACHE-05).
 */
export function openCacheFolder(generatedDir: string): string | undefined {
  const folder = join(generatedDir, 'cache');
  try {
    createGeneratedFolder(generatedDir);
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch {
    return presentCacheFolder(generatedDir);
  }
}

/** The same where an earlier run has made one. */
export function presentCacheFolder(generatedDir: string): string | undefined {
  const folder = join(generatedDir, 'cache');
  return existsSync(folder) ? folder : undefined;
}

/**
 * Puts a file in place as a whole; readers see the former one or this one. False when it could not be written, or when
 * giving the slices threw.
 */
export function writeCacheFile(path: string, slices: Iterable<Uint8Array>): boolean {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(temporary, 'w');
    try {
      for (const slice of slices) writeFileSync(file, slice);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
    return true;
  } catch {
    removeCacheFile(temporary);
    return false;
  }
}

/** Names in a folder of the cache, ascending; what was left behind half-written is swept out. */
export function cacheFiles(folder: string): string[] {
  try {
    const names = readdirSync(folder).sort();
    for (const name of names.filter((each) => each.endsWith('.tmp'))) sweep(join(folder, name));
    return names.filter((name) => !name.endsWith('.tmp'));
  } catch {
    return [];
  }
}

function sweep(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && Date.now() - stats.mtimeMs > ABANDONED_MS) removeCacheFile(path);
}

export function removeCacheFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It may be somebody else's to remove.
  }
}
