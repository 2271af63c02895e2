import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FlueProject } from '@flue/runtime/config';
import type { GeneratedFile } from '../../analysis/project-facts.ts';
import { trackedFiles } from './git.ts';

/**
 * The outputs beside what stands on disk (GEN-04). Where nothing was ever generated there is nothing to compare: the
 * folder may be there for the cache alone. What the sources generate is asked for only when some file is there.
 */
export function generatedFiles(
  project: FlueProject,
  outputs: () => ReadonlyMap<string, string>,
): GeneratedFile[] {
  if (!existsSync(resolve(project.generatedDir, 'manifest.json'))) return [];
  const files = [...outputs()].map(([path, expected]) => {
    const file = resolve(project.root, path);
    return { path, expected, present: existsSync(file) ? readFileSync(file, 'utf8') : undefined };
  });
  const tracked = trackedFiles(
    project.root,
    files.filter(({ expected, present }) => expected !== present).map(({ path }) => path),
  );
  return files.map((file) => ({ ...file, tracked: tracked.has(file.path) }));
}
