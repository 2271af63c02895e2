import * as v from 'valibot';
import { LIMITS } from '../../../contract/limits.ts';
import type { SessionEnv } from '../../../ports/sandbox.ts';
import { namePattern } from '../search/name-pattern.ts';
import { globNear } from '../search/near-files.ts';
import { type SearchScope, shownPath, walkFiles } from '../search/walk.ts';
import type { SessionTool } from '../session-tool.ts';
import { defineSessionTool, pathArgument } from './define-session-tool.ts';

const GLOB = v.strictObject({
  pattern: v.pipe(
    v.string(),
    v.nonEmpty(),
    v.description('A glob: *, ?, [...], {a,b} and **. Without a "/" it is matched to names at any depth.'),
  ),
  path: v.optional(pathArgument('The directory to look in; default the working directory.')),
});

/** `glob`: files by name (TGB-01). */
export function createGlobTool(env: SessionEnv): SessionTool {
  return defineSessionTool({
    name: 'glob',
    label: 'Glob',
    description: 'Finds files by a pattern of their names or paths. Skips .git and node_modules.',
    input: GLOB,
    async run({ pattern, path = '.' }, signal) {
      const root = env.resolvePath(path);
      if (!(await env.stat(root)).isDirectory) throw new Error(`ENOTDIR: '${path}' is no directory.`);
      const fits = await namePattern(pattern, root);
      const found = env.search
        ? await findNear(env, pattern, root, signal)
        : await findByWalk({ env, signal, deadline: performance.now() + LIMITS.searchMs }, root, fits);
      const shown = found.paths.slice(0, LIMITS.globPaths).map((path) => shownPath(env, path));
      const notes = [...found.limits];
      if (found.count > shown.length) notes.unshift(`${shown.length} of ${found.count} files are shown`);
      const lines = shown.length === 0 ? ['No files found.'] : shown;
      return {
        text: [...lines, ...notes.map((note) => `[${note}]`)].join('\n'),
        details: {
          matchCount: found.count,
          truncated: notes.length > 0,
          ...(found.searched !== undefined && { filesSearched: found.searched }),
        },
      };
    },
  });
}

interface Found {
  /** absolute, in order */
  readonly paths: readonly string[];
  readonly count: number;
  readonly searched: number | undefined;
  readonly limits: readonly string[];
}

/** By the environment's own search (SRCH-02). */
async function findNear(
  env: SessionEnv,
  pattern: string,
  root: string,
  signal: AbortSignal | undefined,
): Promise<Found> {
  const query = { pattern, path: root, limit: LIMITS.globPaths };
  const found = await globNear(env, query, { signal, timeoutMs: LIMITS.searchMs });
  const count = Math.max(found.count ?? 0, found.paths.length);
  return { paths: found.paths, count, searched: found.filesSearched, limits: found.limits ?? [] };
}

async function findByWalk(scope: SearchScope, root: string, fits: (path: string) => boolean): Promise<Found> {
  const { files, limits } = await walkFiles(scope, root);
  const paths = files.map(({ path }) => path).filter(fits);
  return { paths, count: paths.length, searched: files.length, limits };
}
