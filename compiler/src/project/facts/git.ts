import { execFileSync } from 'node:child_process';
import { noteTracked } from '../disk.ts';

/** Those of the paths that git tracks; none where there is no repository, or no git. */
export function trackedFiles(root: string, paths: readonly string[]): ReadonlySet<string> {
  if (paths.length === 0) return new Set();
  const question = JSON.stringify([root, ...paths]);
  const answer = answerTracked(question);
  noteTracked(question, answer);
  return new Set(answer.split('\0').filter(Boolean));
}

/** What git says to a question that was noted (CACHE-04). */
export function answerTracked(question: string): string {
  const [root, ...paths] = JSON.parse(question) as string[];
  try {
    return execFileSync('git', ['ls-files', '-z', '--', ...paths], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}
