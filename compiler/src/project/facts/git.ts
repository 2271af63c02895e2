import { execFileSync } from 'node:child_process';

/** Those of the paths that git tracks; none where there is no repository, or no git. */
export function trackedFiles(root: string, paths: readonly string[]): ReadonlySet<string> {
  if (paths.length === 0) return new Set();
  try {
    const listed = execFileSync('git', ['ls-files', '-z', '--', ...paths], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return new Set(listed.split('\0').filter(Boolean));
  } catch {
    return new Set();
  }
}
