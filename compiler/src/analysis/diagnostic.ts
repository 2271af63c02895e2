/** What a finding is, for every reader: CLI, editor, bundler (RULE-01, RULE-34). Plain data, safe to cache and to send. */

export type Severity = 'error' | 'warning' | 'info' | 'hint';

/**
 * A place in a file. `start` and `end` are UTF-16 offsets, `end` exclusive; lines and columns count from 1.
 * `path` is relative to the project root with `/` separators (RULE-11).
 */
export interface Span {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** A second place that explains a finding: the other site, or one hop of a call chain (RULE-27, at most 8). */
export interface Related {
  readonly message: string;
  readonly span: Span;
}

/** Replace `[start, end)` of `path` by `text`. */
export interface TextEdit {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A repair. `safe` ones may be applied without asking (`flue check --fix`, RULE-36). */
export interface Fix {
  readonly title: string;
  readonly safe: boolean;
  readonly edits: readonly TextEdit[];
}

export interface Diagnostic {
  /** `FLUE2101` */
  readonly code: string;
  /** `model-missing` */
  readonly name: string;
  readonly severity: Severity;
  /** one line, no absolute path */
  readonly message: string;
  readonly span: Span;
  readonly related: readonly Related[];
  readonly fixes: readonly Fix[];
}

/** Order of every report: path, start, code (RULE-06). Total and free of the locale (DET-03). */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    compareText(a.span.path, b.span.path) ||
    a.span.start - b.span.start ||
    compareText(a.code, b.code) ||
    a.span.end - b.span.end ||
    compareText(a.message, b.message)
  );
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
