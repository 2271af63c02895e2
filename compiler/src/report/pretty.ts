import pc from 'picocolors';
import type { Diagnostic, Severity } from '../analysis/diagnostic.ts';
import { codeFrame } from './code-frame.ts';
import { maskSecrets } from './mask-secrets.ts';
import { helpLine, type Report, summaryLine, visibleDiagnostics } from './report.ts';

export interface PrettyOptions {
  readonly color: boolean;
  /** print hints too (RULE-33) */
  readonly verbose: boolean;
}

/** For people (CHK-04): one block per finding, then the summary. */
export function prettyReport(report: Report, options: PrettyOptions): string {
  const paint = pc.createColors(options.color);
  const masked = maskSecrets(report);
  const blocks = visibleDiagnostics(report, options.verbose).map((diagnostic) =>
    block(diagnostic, masked, paint),
  );
  return [...blocks, `${paint.bold(summaryLine(report))}\n`].join('\n');
}

type Paint = ReturnType<typeof pc.createColors>;

function block(diagnostic: Diagnostic, report: Report, paint: Paint): string {
  const { span, severity, code, name, message, related } = diagnostic;
  const [source, carets] = codeFrame(report.sourceText(span.path), span);
  const lines = [
    `${paint.bold(place(span))} ${colorOf(severity, paint)(severity)} ${paint.bold(code)} ${paint.dim(name)}`,
    message,
    ...(source === undefined || carets === undefined ? [] : [source, colorOf(severity, paint)(carets)]),
    ...related.map((other) => `${paint.dim('related')} ${place(other.span)} ${other.message}`),
    `${paint.dim('help')} ${helpLine(diagnostic)}`,
  ];
  return `${lines.map((line, index) => (index === 0 ? line : `  ${line}`)).join('\n')}\n`;
}

function place(span: { path: string; line: number; column: number }): string {
  return `${span.path}:${span.line}:${span.column}`;
}

function colorOf(severity: Severity, paint: Paint): (text: string) => string {
  if (severity === 'error') return paint.red;
  return severity === 'warning' ? paint.yellow : paint.cyan;
}
