import { InvalidPathError } from './sandbox-errors.ts';

const MAX_PATH_BYTES = 4096;

/**
 * The one spelling of a path: joined with `cwd`, without `.`, `..` and empty segments, never above `/` (PTH-02).
 *
 * @param cwd absolute
 * @throws InvalidPathError for what is no path (PTH-03)
 */
export function resolveSandboxPath(cwd: string, path: string, operation: string): string {
  assertPath(path, operation);
  const segments: string[] = [];
  for (const segment of (path.startsWith('/') ? path : `${cwd}/${path}`).split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

/** The directory above an absolute, normalized path. */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

/** Text that can be a path at all (PTH-03). */
function assertPath(path: unknown, operation: string): asserts path is string {
  const why =
    typeof path !== 'string'
      ? 'it is no text'
      : path === ''
        ? 'it is empty'
        : path.includes('\0')
          ? 'it holds a NUL character'
          : new TextEncoder().encode(path).length > MAX_PATH_BYTES
            ? `it is longer than ${MAX_PATH_BYTES} bytes`
            : undefined;
  if (why !== undefined) throw new InvalidPathError({ operation, why });
}
