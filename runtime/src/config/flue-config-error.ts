/** One fault of a configuration: a field path such as `check.maxWarnings`, and what is wrong with it. */
export interface FlueConfigIssue {
  readonly field: string;
  readonly problem: string;
  /** where in the file, counted from 1, when the fault has a place */
  readonly line?: number;
  readonly column?: number;
}

/** Every fault of one configuration, listed together (CFG-04). A command that meets it stops with exit code 2. */
export class FlueConfigError extends Error {
  override readonly name = 'FlueConfigError';
  readonly source: string;
  readonly issues: readonly FlueConfigIssue[];

  constructor(source: string, issues: readonly FlueConfigIssue[], options?: ErrorOptions) {
    const lines = issues.map((issue) => `  ${describeIssue(issue)}`);
    super([`[flue] Invalid config in ${source}:`, ...lines].join('\n'), options);
    this.source = source;
    this.issues = issues;
  }
}

export function describeIssue({ field, problem, line, column }: FlueConfigIssue): string {
  const place = line === undefined ? '' : `${line}:${column ?? 1} `;
  return `${place}${field === '' ? '' : `${field} `}${problem}`;
}
