import { resolve } from 'node:path';
import type { FlueProject } from '@flue/runtime/config';
import type { GeneratedFile } from '../../analysis/project-facts.ts';
import { existsSync, readdirSync, readFileSync } from '../disk.ts';
import { trackedFiles } from './git.ts';

/** What is in the folder before anything is generated: the cache of a check, and what keeps it out of git (EMIT-01). */
const NOT_GENERATED = new Set(['.gitignore', 'cache']);

/**
 * The outputs beside what stands on disk (GEN-04), asked for only when there is something to compare. A checkout may hold
 * the one file that its author tracks; what else is missing counts only where the manifest says that all was there.
 */
export function generatedFiles(
  project: FlueProject,
  outputs: () => ReadonlyMap<string, string>,
): GeneratedFile[] {
  const names = existsSync(project.generatedDir) ? readdirSync(project.generatedDir) : [];
  if (names.every((name) => NOT_GENERATED.has(name))) return [];
  const isComplete = names.includes('manifest.json');
  const files = [...outputs()]
    .map(([path, expected]) => {
      const file = resolve(project.root, path);
      return { path, expected, present: existsSync(file) ? readFileSync(file, 'utf8') : undefined };
    })
    .filter(({ present }) => isComplete || present !== undefined);
  const differing = files.filter(({ expected, present }) => expected !== present);
  const tracked = trackedFiles(
    project.root,
    differing.map(({ path }) => path),
  );
  return files.map((file) => ({ ...file, tracked: tracked.has(file.path) }));
}
