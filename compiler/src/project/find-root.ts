import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { FLUE_CONFIG_BASENAMES } from '@flue/runtime/config';
import { ProjectError } from './project-error.ts';

/** A folder that holds one of these is a project of its own (CHK-03). */
export const PROJECT_MARKERS: readonly string[] = [...FLUE_CONFIG_BASENAMES, 'package.json'];

function isProjectRoot(directory: string): boolean {
  return PROJECT_MARKERS.some((name) => existsSync(join(directory, name)));
}

export interface ProjectPlace {
  /** absolute */
  readonly root: string;
  /** absolute paths that narrow what is reported; empty: everything */
  readonly paths: readonly string[];
}

/**
 * The project that a command is about (CHK-03): `root` when given, else a single path that is a project root, else the
 * nearest such ancestor of the working directory. The other paths only filter.
 */
export function findProject(where: {
  readonly workingDirectory: string;
  readonly root?: string;
  readonly paths?: readonly string[];
}): ProjectPlace {
  const paths = (where.paths ?? []).map((path) => existing(where.workingDirectory, path, where.root));
  if (where.root !== undefined) {
    const root = resolve(where.workingDirectory, where.root);
    if (isDirectory(root)) return { root, paths };
    throw new ProjectError(where.root, 'there is no such directory.');
  }
  const [only] = paths;
  if (paths.length === 1 && only !== undefined && isDirectory(only) && isProjectRoot(only)) {
    return { root: only, paths: [] };
  }
  return { root: nearestRoot(where.workingDirectory), paths };
}

function existing(workingDirectory: string, path: string, root: string | undefined): string {
  const candidates = [resolve(workingDirectory, path), resolve(workingDirectory, root ?? '.', path)];
  const found = candidates.find((candidate) => existsSync(candidate));
  if (found !== undefined) return found;
  throw new ProjectError(path, 'there is no such file or directory.');
}

function nearestRoot(from: string): string {
  for (let directory = resolve(from); ; directory = dirname(directory)) {
    if (isProjectRoot(directory)) return directory;
    if (dirname(directory) === directory) {
      throw new ProjectError(
        '.',
        'neither a Flue config nor a package.json here or above; name one with --cwd.',
      );
    }
  }
}

function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
