import { LIMITS } from '../../../contract/limits.ts';
import type { FileStat, SessionEnv } from '../../../ports/sandbox.ts';

/** Where and how long a search looks. */
export interface SearchScope {
  readonly env: SessionEnv;
  readonly signal: AbortSignal | undefined;
  /** as `performance.now()` counts */
  readonly deadline: number;
}

export interface FoundFile {
  /** absolute */
  readonly path: string;
  readonly size: number | undefined;
}

export interface Walk {
  /** in order of their paths */
  readonly files: readonly FoundFile[];
  /** limits that it reached, each a clause for the reader (TGR-06) */
  readonly limits: readonly string[];
}

const SKIPPED = new Set(['.git', 'node_modules']);

/**
 * The files below a directory, or the file itself. Hidden ones too; `.git` and `node_modules` only from inside, and no
 * links to directories (TGR-05).
 *
 * @throws Error for a path that is not there
 */
export async function walkFiles(scope: SearchScope, root: string): Promise<Walk> {
  const { env } = scope;
  const found = await env.stat(root);
  if (!found.isDirectory) return { files: [{ path: root, size: found.size }], limits: [] };
  const files: FoundFile[] = [];
  const limits: string[] = [];
  const open = [root];
  let visited = 0;
  while (open.length > 0) {
    scope.signal?.throwIfAborted();
    if (performance.now() >= scope.deadline) {
      limits.push('the search took too long and was ended');
      break;
    }
    if (visited > LIMITS.searchEntries) {
      limits.push(`only the first ${LIMITS.searchEntries} entries were visited`);
      break;
    }
    const folders = open.splice(0, LIMITS.searchCallsAtOnce);
    const names = await Promise.all(folders.map((folder) => namesIn(env, folder)));
    const paths = names.flat();
    visited += paths.length;
    for (const { path, found } of await statAll(env, paths)) {
      if (found?.isDirectory && !found.isSymbolicLink) open.push(path);
      else if (found?.isFile) files.push({ path, size: found.size });
    }
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), limits };
}

async function namesIn(env: SessionEnv, folder: string): Promise<string[]> {
  const names = await env.readdir(folder).catch(() => []); // it may have gone meanwhile
  const prefix = folder === '/' ? '/' : `${folder}/`;
  return names.filter((name) => !SKIPPED.has(name)).map((name) => prefix + name);
}

async function statAll(env: SessionEnv, paths: readonly string[]) {
  const all: { path: string; found: FileStat | undefined }[] = [];
  for (let at = 0; at < paths.length; at += LIMITS.searchCallsAtOnce) {
    const some = paths.slice(at, at + LIMITS.searchCallsAtOnce);
    all.push(
      ...(await Promise.all(
        some.map(async (path) => ({ path, found: await env.stat(path).catch(() => undefined) })),
      )),
    );
  }
  return all;
}

/** How a result names a file: from the working directory when it is inside. */
export function shownPath(env: SessionEnv, path: string): string {
  const inside = env.cwd === '/' ? '/' : `${env.cwd}/`;
  return path.startsWith(inside) ? path.slice(inside.length) : path;
}
