import * as v from 'valibot';
import { LIMITS } from '../../../contract/limits.ts';
import type { SessionEnv } from '../../../ports/sandbox.ts';
import { namePattern } from '../search/name-pattern.ts';
import { shownPath, walkFiles } from '../search/walk.ts';
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
      const deadline = performance.now() + LIMITS.searchMs;
      const { files, limits } = await walkFiles({ env, signal, deadline }, root);
      const fits = await namePattern(pattern, root);
      const found = files.filter((file) => fits(file.path)).map((file) => shownPath(env, file.path));
      const shown = found.slice(0, LIMITS.globPaths);
      const notes = [...limits];
      if (found.length > shown.length) notes.unshift(`${shown.length} of ${found.length} files are shown`);
      const lines = found.length === 0 ? ['No files found.'] : shown;
      return {
        text: [...lines, ...notes.map((note) => `[${note}]`)].join('\n'),
        details: { matchCount: found.length, truncated: notes.length > 0, filesSearched: files.length },
      };
    },
  });
}
