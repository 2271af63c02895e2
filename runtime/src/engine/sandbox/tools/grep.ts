import * as v from 'valibot';
import { LIMITS } from '../../../contract/limits.ts';
import type { SessionEnv } from '../../../ports/sandbox.ts';
import { type LineMatch, openLineMatcher } from '../search/line-matcher.ts';
import { namePattern } from '../search/name-pattern.ts';
import { grepNear } from '../search/near-files.ts';
import { type SearchPattern, searchPattern, withoutPosixClasses } from '../search/pattern.ts';
import { type FoundFile, type SearchScope, shownPath, walkFiles } from '../search/walk.ts';
import type { SessionTool } from '../session-tool.ts';
import { defineSessionTool, isBinary, pathArgument } from './define-session-tool.ts';

const flag = (description: string) => v.optional(v.pipe(v.boolean(), v.description(description)));
const GREP = v.strictObject({
  pattern: v.pipe(
    v.string(),
    v.nonEmpty(),
    v.description('An ECMAScript regular expression, applied to each line.'),
  ),
  path: v.optional(pathArgument('A file or directory; default the working directory.')),
  include: v.optional(
    v.pipe(v.string(), v.nonEmpty(), v.description('Only files whose name or relative path fits this glob.')),
  ),
  literal: flag('Take the pattern as plain text.'),
  ignoreCase: flag('Take upper and lower case as equal.'),
});

/** `grep`: lines of files that match a pattern (TGR-01). */
export function createGrepTool(env: SessionEnv): SessionTool {
  return defineSessionTool({
    name: 'grep',
    label: 'Grep',
    description:
      'Searches the content of files for a regular expression and returns matching lines as path:line:text. Skips ' +
      'binary files, .git and node_modules.',
    input: GREP,
    async run({ pattern, path = '.', include, ...how }, signal) {
      const root = env.resolvePath(path);
      const compiled = searchPattern(pattern, how);
      const fits = include === undefined ? () => true : await namePattern(include, root);
      const found = env.search
        ? await searchNear(env, { pattern, include, ...how }, root, signal)
        : await searchByWalk(
            { env, signal, deadline: performance.now() + LIMITS.searchMs },
            root,
            fits,
            compiled,
          );
      const notes = [...found.limits];
      const lines = found.matches.map(
        ({ path, line, text }) => `${shownPath(env, path)}:${line}:${shortened(text)}`,
      );
      if (found.count > lines.length) notes.unshift(`${lines.length} of ${found.count} matches are shown`);
      const truncated = notes.length > 0;
      // Only a search that has seen everything may say that there is nothing (TGR-03).
      if (lines.length === 0) lines.push(truncated ? 'Nothing was found so far.' : 'No matches found.');
      return {
        text: [...lines, ...notes.map((note) => `[${note}]`)].join('\n'),
        details: {
          matchCount: found.count,
          truncated,
          ...(found.searched !== undefined && { filesSearched: found.searched }),
        },
      };
    },
  });
}

interface Found {
  readonly matches: readonly (LineMatch & { readonly path: string })[];
  readonly count: number;
  readonly searched: number | undefined;
  readonly limits: readonly string[];
}

type Arguments = Omit<v.InferOutput<typeof GREP>, 'path'>;

/** By the environment's own search (SRCH-02). The order and the limits of what is shown are the tool's. */
async function searchNear(
  env: SessionEnv,
  { pattern, include, literal = false, ignoreCase = false }: Arguments,
  root: string,
  signal: AbortSignal | undefined,
): Promise<Found> {
  await env.stat(root); // a path that is not there is an error, never an empty result (TGR-03)
  const limit = LIMITS.grepMatches;
  const query = {
    ...{ literal, ignoreCase, path: root, limit },
    pattern: literal ? pattern : withoutPosixClasses(pattern),
    ...(include !== undefined && { include }),
  };
  const { matches, count, filesSearched, limits } = await grepNear(env, query, {
    signal,
    timeoutMs: LIMITS.searchMs,
  });
  return {
    matches: matches.slice(0, limit),
    count: Math.max(count ?? 0, matches.length),
    searched: filesSearched,
    limits: limits ?? [],
  };
}

async function searchByWalk(
  scope: SearchScope,
  root: string,
  fits: (path: string) => boolean,
  pattern: SearchPattern,
): Promise<Found> {
  const { files, limits } = await walkFiles(scope, root);
  const wanted = files.filter((file) => fits(file.path));
  const found = await searchFiles(scope, wanted, pattern);
  return { ...found, limits: [...limits, ...found.limits] };
}

async function searchFiles(
  scope: SearchScope,
  files: readonly FoundFile[],
  pattern: SearchPattern,
): Promise<Found> {
  const matches: (LineMatch & { path: string })[] = [];
  const limits: string[] = [];
  let count = 0;
  let searched = 0;
  let skipped = 0;
  const matcher = openLineMatcher(pattern, scope.deadline);
  try {
    for (let at = 0; at < files.length; at += LIMITS.searchCallsAtOnce) {
      scope.signal?.throwIfAborted();
      const some = files.slice(at, at + LIMITS.searchCallsAtOnce);
      const texts = await Promise.all(some.map((file) => searchableText(scope.env, file)));
      for (const [index, text] of texts.entries()) {
        if (text === 'too-large') skipped += 1;
        if (text === 'too-large' || text === undefined) continue;
        const found = await matcher.match(text.text, LIMITS.grepMatches - matches.length);
        searched += 1;
        count += found.count;
        matches.push(...found.shown.map((one) => ({ ...one, path: some[index]!.path })));
      }
    }
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') throw error;
    limits.push(
      `the search was ended after ${LIMITS.searchMs / 1000} s with ${searched} of ${files.length} files searched`,
    );
  } finally {
    await matcher.end();
  }
  if (skipped > 0) limits.push(`${skipped} files over ${LIMITS.searchFileBytes} bytes were skipped`);
  return { matches, count, searched, limits };
}

async function searchableText(
  env: SessionEnv,
  { path, size }: FoundFile,
): Promise<{ readonly text: string } | 'too-large' | undefined> {
  if (size !== undefined && size > LIMITS.searchFileBytes) return 'too-large';
  const bytes = await env.readFileBuffer(path).catch(() => undefined);
  if (!bytes || isBinary(bytes)) return undefined;
  return bytes.length > LIMITS.searchFileBytes ? 'too-large' : { text: new TextDecoder().decode(bytes) };
}

function shortened(line: string): string {
  return line.length <= LIMITS.grepLineChars ? line : `${line.slice(0, LIMITS.grepLineChars)}…`;
}
