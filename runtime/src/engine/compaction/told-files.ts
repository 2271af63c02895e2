import { bodyOf } from '../../conversation/fold/calls.ts';
import type { Entry } from '../../conversation/fold/state.ts';
import type { Compaction } from '../../conversation/records/index.ts';

export type ToldFiles = Compaction['files'];

/** What each built-in tool does to the path that it is called with. */
const USES: { readonly [tool: string]: keyof ToldFiles | undefined } = {
  read: 'read',
  write: 'modified',
  edit: 'modified',
};

/**
 * The paths that the entries read and modified through the built-in tools, after those that an earlier compaction knows
 * of (CMP-08). Calls that failed touched nothing. A path that was modified is listed as that alone.
 */
export function toldFiles(entries: readonly Entry[], before: ToldFiles | undefined): ToldFiles {
  const used = { read: new Set(before?.read), modified: new Set(before?.modified) };
  const paths = new Map<string, string>();
  for (const entry of entries) {
    if (entry.kind === 'assistant') {
      for (const part of bodyOf(entry.held).content) {
        if (part.type === 'call' && USES[part.tool]) paths.set(part.id, pathIn(part.args));
      }
    } else if (entry.kind === 'result') {
      const { tool, status, call } = bodyOf(entry.held);
      const path = paths.get(call);
      const use = USES[tool];
      if (use && path && status === 'ok') used[use].add(path);
    }
  }
  const modified = [...used.modified].sort();
  return { read: [...used.read].filter((path) => !used.modified.has(path)).sort(), modified };
}

function pathIn(args: string): string {
  try {
    const { path } = JSON.parse(args) as { path?: unknown };
    return typeof path === 'string' ? path : '';
  } catch {
    return '';
  }
}
