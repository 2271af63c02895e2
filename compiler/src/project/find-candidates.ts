import { relative, sep } from 'node:path';
import type { FlueProject } from '@flue/runtime/config';
import { compareCodeUnits } from '@flue/runtime/internal';
import type { DiskHost } from './disk-host.ts';
import { findSourceFiles } from './find-files.ts';
import { readCandidate } from './source-text.ts';

export interface Candidates {
  /** project paths to analyse, ascending */
  readonly paths: readonly string[];
  /** project paths of the files that the scan has looked at */
  readonly scanned: readonly string[];
}

/**
 * The files that a check starts from (RULE-09): those whose bytes may concern us, and the entries. Every other file is
 * read once and dropped; what candidates import is the analysis' to ask for.
 */
export function findCandidates(project: FlueProject, host: DiskHost): Candidates {
  const { sourceRoot, generatedDir, root, config } = project;
  const toPath = (file: string) => relative(root, file).split(sep).join('/');
  const files = findSourceFiles(sourceRoot, {
    generatedDir,
    ...(config.agents !== undefined && { agents: config.agents }),
  });
  const paths = new Set<string>();
  for (const file of files) {
    const source = readCandidate(file);
    if (source === undefined) continue;
    paths.add(toPath(file));
    host.provide(toPath(file), source);
  }
  const entries = [project.app, project.db, project.cloudflare, ...project.setup];
  for (const entry of entries) if (entry !== undefined) paths.add(toPath(entry));
  return { paths: [...paths].sort(compareCodeUnits), scanned: files.map(toPath) };
}
