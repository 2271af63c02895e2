import type { Diagnostic, Span } from '../analysis/diagnostic.ts';
import { countSeverities, helpLine, type Report } from './report.ts';

/** For programs (CHK-05): one document, on one line where others follow (CHK-09); nothing in it depends on the machine but `durationMs` (CHK-11). */
export function jsonReport(report: Report, layout: 'document' | 'line' = 'document'): string {
  const counts = countSeverities(report.diagnostics);
  const document = {
    version: 1,
    root: '.',
    summary: {
      errors: counts.error,
      warnings: counts.warning,
      infos: counts.info,
      hints: counts.hint,
      files: report.files,
      agents: report.agents,
      durationMs: Math.round(report.durationMs),
    },
    diagnostics: report.diagnostics.map(toJson),
  };
  return `${JSON.stringify(document, null, layout === 'document' ? 2 : 0)}\n`;
}

function toJson(diagnostic: Diagnostic) {
  const { code, name, severity, message, span, related, fixes } = diagnostic;
  return {
    rule: code,
    name,
    severity,
    message,
    file: span.path,
    range: range(span),
    help: helpLine(diagnostic),
    ...(related.length > 0 && {
      related: related.map((other) => ({
        message: other.message,
        file: other.span.path,
        range: range(other.span),
      })),
    }),
    ...(fixes.length > 0 && {
      fixes: fixes.map(({ title, safe, edits }) => ({
        title,
        safe,
        edits: edits.map(({ path, start, end, text }) => ({ file: path, start, end, text })),
      })),
    }),
  };
}

function range(span: Span) {
  return {
    start: { line: span.line, column: span.column, offset: span.start },
    end: { line: span.endLine, column: span.endColumn, offset: span.end },
  };
}
