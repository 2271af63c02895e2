import type { GlobResult, GrepResult, SearchBackend, SessionEnv } from '../../../ports/sandbox.ts';

/** What a search near the files is asked, besides what the runtime adds. */
type Query<Q extends 'grep' | 'glob'> = Omit<Parameters<SearchBackend[Q]>[0], 'signal'>;

/** Asks an environment's own search, and checks that it gave what it must. Rejects when the time is over. */
export async function grepNear(
  env: SessionEnv,
  query: Query<'grep'>,
  scope: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<GrepResult> {
  const found = await asked((signal) => env.search!.grep({ ...query, signal }), scope);
  const { matches } = found ?? {};
  if (!Array.isArray(matches) || !matches.every(isMatch)) throw malformed('grep', 'matches');
  const placed = matches.map(({ path, line, text }) => ({ path: env.resolvePath(path), line, text }));
  return {
    ...found,
    matches: placed.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1)),
  };
}

export async function globNear(
  env: SessionEnv,
  query: Query<'glob'>,
  scope: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<GlobResult> {
  const found = await asked((signal) => env.search!.glob({ ...query, signal }), scope);
  const { paths } = found ?? {};
  if (!Array.isArray(paths) || !paths.every(isAbsolute)) throw malformed('glob', 'paths');
  return { ...found, paths: paths.map((path) => env.resolvePath(path)).sort() };
}

async function asked<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<T> {
  const limit = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, limit]) : limit;
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal?.aborted ? signal.reason : tooLong(timeoutMs));
    either.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([ask(either), stopped]);
  } finally {
    either.removeEventListener('abort', stop);
  }
}

function tooLong(timeoutMs: number): Error {
  return new Error(`The search took longer than ${timeoutMs / 1000} s. Search a smaller folder.`);
}

function isMatch(match: unknown): boolean {
  const { path, line, text } = (match ?? {}) as Partial<GrepResult['matches'][number]>;
  return isAbsolute(path) && Number.isInteger(line) && typeof text === 'string';
}

function isAbsolute(path: unknown): boolean {
  return typeof path === 'string' && path.startsWith('/');
}

function malformed(verb: 'grep' | 'glob', field: string): Error {
  return new Error(
    `The sandbox's own search failed: the ${field} that its ${verb}() gave lack an absolute path or another field.`,
  );
}
