import type { Dirent } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { compareCodeUnits } from '@flue/runtime/internal';
import { readdirSync, realpathSync, statSync } from './disk.ts';
import { PROJECT_MARKERS } from './find-root.ts';
import { globMatcher } from './glob.ts';
import { unreadable } from './project-error.ts';

/** What the directive scan reads (CFG-08). */
const SCANNED = /\.(?:ts|mts|js|mjs)$/;
const DECLARATION = /\.d\.(?:ts|mts)$/;
const NEVER = new Set(['node_modules', 'dist', 'output']);

export interface ScanOptions {
  /** absolute; never scanned, whatever it is called */
  readonly generatedDir: string;
  /** a glob below the source root that narrows the scan */
  readonly agents?: string;
}

/**
 * Every source file below the source root, absolute, ascending. Other projects inside it are theirs (CHK-03), links are
 * followed once, and names are those of the directory entries, not of any import (DET-07).
 */
export function findSourceFiles(sourceRoot: string, options: ScanOptions): string[] {
  const start = realpathSync.native(sourceRoot);
  const seen = new Set<string>();
  const wanted = options.agents === undefined ? () => true : globMatcher(options.agents);
  const files: string[] = [];

  const visit = (directory: string) => {
    if (seen.has(directory) || directory === options.generatedDir) return;
    seen.add(directory);
    const entries = entriesOf(directory);
    const foreign = directory !== start && entries.some(({ name }) => PROJECT_MARKERS.includes(name));
    for (const entry of foreign ? [] : entries) {
      const found = entry.isSymbolicLink() ? followed(join(directory, entry.name)) : plain(directory, entry);
      if (found?.kind === 'directory') {
        if (!entry.name.startsWith('.') && !NEVER.has(entry.name)) visit(found.path);
      } else if (found && SCANNED.test(entry.name) && !DECLARATION.test(entry.name)) {
        if (wanted(relative(start, join(directory, entry.name)).split(sep).join('/'))) files.push(found.path);
      }
    }
  };
  visit(start);
  return [...new Set(files)].sort(compareCodeUnits);
}

interface Found {
  readonly kind: 'directory' | 'file';
  readonly path: string;
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unreadable(directory, error);
  }
}

function plain(directory: string, entry: Dirent): Found | undefined {
  const path = join(directory, entry.name);
  if (entry.isDirectory()) return { kind: 'directory', path };
  return entry.isFile() ? { kind: 'file', path } : undefined;
}

/** A link that leads nowhere, or round in a circle, is no file. */
function followed(link: string): Found | undefined {
  try {
    const target = statSync(link);
    if (!target.isDirectory() && !target.isFile()) return undefined;
    return { kind: target.isDirectory() ? 'directory' : 'file', path: realpathSync.native(link) };
  } catch {
    return undefined;
  }
}
