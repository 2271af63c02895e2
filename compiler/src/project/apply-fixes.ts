import type { Diagnostic, Fix, TextEdit } from '../analysis/diagnostic.ts';

/** What a pass of repairs makes of one file. */
export interface FixedFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** in the order of their places; none overlap */
  readonly edits: readonly TextEdit[];
  readonly repairs: number;
}

/**
 * Applies the first safe repair of each finding, whole or not at all: one whose edits overlap an earlier one waits for
 * the next pass (CHK-08). Everything outside the edits stays, and what they insert takes the file's line ends.
 */
export function applyFixes(
  diagnostics: readonly Diagnostic[],
  text: (path: string) => string | undefined,
): readonly FixedFile[] {
  const chosen = new Map<string, TextEdit[]>();
  const repairs = new Map<string, number>();
  for (const diagnostic of diagnostics) {
    const fix = diagnostic.fixes.find(({ safe }) => safe);
    if (fix === undefined || !fits(fix, chosen)) continue;
    for (const edit of fix.edits) chosen.set(edit.path, [...(chosen.get(edit.path) ?? []), edit]);
    repairs.set(diagnostic.span.path, (repairs.get(diagnostic.span.path) ?? 0) + 1);
  }
  return [...chosen].flatMap(([path, edits]) => {
    const before = text(path);
    if (before === undefined) return [];
    const ordered = edits.sort((a, b) => a.start - b.start || a.end - b.end);
    const after = applyEdits(before, ordered);
    return after === before ? [] : [{ path, before, after, edits: ordered, repairs: repairs.get(path) ?? 0 }];
  });
}

function fits(fix: Fix, chosen: ReadonlyMap<string, readonly TextEdit[]>): boolean {
  return fix.edits.every((edit) => (chosen.get(edit.path) ?? []).every((other) => !overlaps(edit, other)));
}

/** Two insertions at one place depend on their order, so they count as an overlap. */
function overlaps(a: TextEdit, b: TextEdit): boolean {
  if (a.start === b.start) return true;
  return a.start < b.end && b.start < a.end;
}

function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const newline = lineEnd(text);
  let result = '';
  let at = 0;
  for (const edit of edits) {
    result += text.slice(at, edit.start) + edit.text.replace(/\r?\n/g, newline);
    at = edit.end;
  }
  return result + text.slice(at);
}

function lineEnd(text: string): '\r\n' | '\n' {
  return (text.match(/\r\n/g)?.length ?? 0) > (text.match(/(?<!\r)\n/g)?.length ?? 0) ? '\r\n' : '\n';
}
