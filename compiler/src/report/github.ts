import type { Diagnostic, Severity } from '../analysis/diagnostic.ts';
import { type Report, visibleDiagnostics } from './report.ts';

const COMMANDS: Readonly<Record<Severity, string>> = {
  error: 'error',
  warning: 'warning',
  info: 'notice',
  hint: 'notice',
};

/** For GitHub (CHK-07): one annotation per finding. The summary is for stderr and not part of it. */
export function githubReport(report: Report, options: { readonly verbose: boolean }): string {
  return visibleDiagnostics(report, options.verbose)
    .map((diagnostic) => `${annotation(diagnostic)}\n`)
    .join('');
}

function annotation({ code, severity, message, span }: Diagnostic): string {
  const properties = {
    file: span.path,
    line: span.line,
    col: span.column,
    endLine: span.endLine,
    endColumn: span.endColumn,
    title: code,
  };
  const printed = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  return `::${COMMANDS[severity]} ${printed.join(',')}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
