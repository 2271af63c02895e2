import type { Diagnostic, Severity } from '../analysis/diagnostic.ts';

/** What one check found, ready to be printed. Paths are relative to the project root, so reports are portable (CHK-11). */
export interface Report {
  /** in the order of RULE-06 */
  readonly diagnostics: readonly Diagnostic[];
  readonly files: number;
  readonly agents: number;
  readonly durationMs: number;
  /** the text that the diagnostics speak about, for code frames */
  sourceText(path: string): string | undefined;
}

export type SeverityCounts = Readonly<Record<Severity, number>>;

export function countSeverities(diagnostics: readonly Diagnostic[]): SeverityCounts {
  const counts = { error: 0, warning: 0, info: 0, hint: 0 };
  for (const { severity } of diagnostics) counts[severity]++;
  return counts;
}

/** Hints advise on code that is accepted: people see them only when they ask (RULE-33). */
export function visibleDiagnostics(report: Report, verbose: boolean): readonly Diagnostic[] {
  return verbose ? report.diagnostics : report.diagnostics.filter(({ severity }) => severity !== 'hint');
}

/** One line: counts, size and time. */
export function summaryLine(report: Report): string {
  const counts = countSeverities(report.diagnostics);
  const found = [
    plural(counts.error, 'error'),
    plural(counts.warning, 'warning'),
    ...(counts.info > 0 ? [plural(counts.info, 'info')] : []),
    ...(counts.hint > 0 ? [plural(counts.hint, 'hint')] : []),
  ];
  const clean = report.diagnostics.length === 0;
  const size = `${plural(report.agents, 'agent')} in ${plural(report.files, 'file')}`;
  return `${clean ? 'No problems' : found.join(', ')}: ${size} checked in ${duration(report.durationMs)}.`;
}

/** The remedy in one line: the repair on offer, and where the rule is explained. */
export function helpLine(diagnostic: Diagnostic): string {
  const repair = diagnostic.fixes[0]?.title;
  const explain = `flue check --explain ${diagnostic.code}`;
  return repair === undefined ? explain : `${repair} (${explain})`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
