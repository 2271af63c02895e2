import { relative, sep } from 'node:path';

/** An absolute path as reports and facts name it: relative to the root, with `/` (RULE-11). */
export function toProjectPath(root: string, path: string): string {
  return relative(root, path).split(sep).join('/') || '.';
}
