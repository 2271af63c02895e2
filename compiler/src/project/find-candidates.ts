import { resolve } from 'node:path';
import type { FlueProject } from '@flue/runtime/config';
import { compareCodeUnits } from '@flue/runtime/internal';
import type { DiskHost } from './disk-host.ts';
import { findSourceFiles } from './find-files.ts';
import { toProjectPath } from './project-path.ts';
import { readCandidate } from './source-text.ts';

export interface Candidates {
  /** project paths to analyse, ascending */
  readonly paths: readonly string[];
  /** project paths of the files that the scan has looked at */
  readonly scanned: readonly string[];
}

/** The candidates after these files were edited and nothing else happened: no other file is read again. */
export function reviseCandidates(
  { paths, scanned }: Candidates,
  edited: ReadonlySet<string>,
  project: FlueProject,
  host: DiskHost,
): Candidates {
  const entries = new Set(entriesOf(project));
  const revised = new Set(paths);
  const isScanned = new Set(scanned);
  for (const path of edited) {
    if (!isScanned.has(path)) continue;
    const source = readCandidate(resolve(project.root, path));
    if (source !== undefined) {
      revised.add(path);
      host.provide(path, source);
    } else if (!entries.has(path)) revised.delete(path);
  }
  return { paths: [...revised].sort(compareCodeUnits), scanned };
}

function entriesOf({ root, app, db, cloudflare, setup }: FlueProject): string[] {
  return [app, db, cloudflare, ...setup].flatMap((entry) =>
    entry === undefined ? [] : [toProjectPath(root, entry)],
  );
}

/**
 * The files that a check starts from (RULE-09): those whose bytes may concern us, and the entries. Every other file is
 * read once and dropped; what candidates import is the analysis' to ask for.
 */
export function findCandidates(project: FlueProject, host: DiskHost): Candidates {
  const { sourceRoot, generatedDir, root, config } = project;
  const files = findSourceFiles(sourceRoot, {
    generatedDir,
    ...(config.agents !== undefined && { agents: config.agents }),
  });
  const scanned = new Map(files.map((file) => [file, toProjectPath(root, file)] as const));
  host.found(scanned);
  const paths = new Set<string>();
  for (const [file, path] of scanned) {
    const source = readCandidate(file);
    if (source === undefined) continue;
    paths.add(path);
    host.provide(path, source);
  }
  for (const entry of entriesOf(project)) paths.add(entry);
  return { paths: [...paths].sort(compareCodeUnits), scanned: [...scanned.values()] };
}
