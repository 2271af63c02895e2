import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Line } from './measurement.ts';

/** A run of the bench for machines to read (PERF-17). */
export interface Results {
  readonly version: 1;
  /** ISO 8601 */
  readonly at: string;
  readonly node: string;
  readonly processors: number;
  readonly lines: readonly Line[];
}

/** Writes the rows of one run where the next one replaces them; the file's path. */
export function keepResults(folder: string, lines: readonly Line[], at: Date): string {
  const results: Results = {
    version: 1,
    at: at.toISOString(),
    node: process.version,
    processors: cpus().length,
    lines,
  };
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'latest.json');
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
  return path;
}

/** So far beyond its target a ratio is no noise. */
const GROSS = 2;

/** Rows of the performance targets that miss them by more than a noisy machine explains (PERF-17). */
export function grossMisses(lines: readonly Line[]): Line[] {
  return lines.filter(({ ratio, target }) => {
    const [, limit] = /^PERF-\d+ <= ([\d.]+)/.exec(target) ?? [];
    return limit !== undefined && ratio > GROSS * Number(limit);
  });
}
