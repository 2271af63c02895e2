import { createHash } from 'node:crypto';
import type { Diagnostic, Severity, Span, TextEdit } from '../analysis/diagnostic.ts';
import type { Report } from './report.ts';

export interface SarifRule {
  readonly code: string;
  readonly name: string;
  readonly severity: Severity | 'off';
  /** one sentence */
  readonly description: string;
}

const LEVELS = { error: 'error', warning: 'warning', info: 'note', hint: 'note' } as const;

/** For code-scanning services (CHK-06): SARIF 2.1.0 with every rule of this version, found or not. */
export function sarifReport(
  report: Report,
  tool: { readonly version: string; readonly rules: readonly SarifRule[] },
): string {
  const fingerprint = fingerprinter(report);
  const run = {
    tool: { driver: { name: 'flue', version: tool.version, rules: tool.rules.map(toRule) } },
    columnKind: 'utf16CodeUnits',
    originalUriBaseIds: { SRCROOT: { description: { text: 'The project root.' } } },
    results: report.diagnostics.map((diagnostic) => ({
      ruleId: diagnostic.code,
      ...indexOf(diagnostic, tool.rules),
      level: LEVELS[diagnostic.severity],
      message: { text: diagnostic.message },
      locations: [{ physicalLocation: physicalLocation(diagnostic.span) }],
      ...related(diagnostic),
      ...fixes(diagnostic),
      partialFingerprints: { 'flueFinding/v1': fingerprint(diagnostic) },
    })),
  };
  const schema = 'https://json.schemastore.org/sarif-2.1.0.json';
  return `${JSON.stringify({ $schema: schema, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

function toRule({ code, name, severity, description }: SarifRule) {
  return {
    id: code,
    name,
    shortDescription: { text: description },
    help: { text: `flue check --explain ${code}` },
    defaultConfiguration:
      severity === 'off' ? { enabled: false } : { enabled: true, level: LEVELS[severity] },
  };
}

function indexOf({ code }: Diagnostic, rules: readonly SarifRule[]): { ruleIndex?: number } {
  const ruleIndex = rules.findIndex((rule) => rule.code === code);
  return ruleIndex < 0 ? {} : { ruleIndex };
}

function related({ related: places }: Diagnostic) {
  if (places.length === 0) return {};
  return {
    relatedLocations: places.map(({ message, span }, index) => ({
      id: index,
      physicalLocation: physicalLocation(span),
      message: { text: message },
    })),
  };
}

function fixes({ fixes: repairs }: Diagnostic) {
  if (repairs.length === 0) return {};
  return {
    fixes: repairs.map(({ title, edits }) => ({
      description: { text: title },
      artifactChanges: [...new Set(edits.map(({ path }) => path))].map((path) => ({
        artifactLocation: artifactLocation(path),
        replacements: edits.filter((edit) => edit.path === path).map(replacement),
      })),
    })),
  };
}

function replacement({ start, end, text }: TextEdit) {
  return {
    deletedRegion: { charOffset: start, charLength: end - start },
    ...(text !== '' && { insertedContent: { text } }),
  };
}

function physicalLocation(span: Span) {
  return {
    artifactLocation: artifactLocation(span.path),
    region: {
      startLine: span.line,
      startColumn: span.column,
      endLine: span.endLine,
      endColumn: span.endColumn,
      charOffset: span.start,
      charLength: span.end - span.start,
    },
  };
}

function artifactLocation(path: string) {
  return { uri: path.split('/').map(encodeURIComponent).join('/'), uriBaseId: 'SRCROOT' };
}

/** Of the rule, the file and the line's text, and which of equal ones it is: a finding that only moved stays the same. */
function fingerprinter(report: Report): (diagnostic: Diagnostic) => string {
  const seen = new Map<string, number>();
  return ({ code, span }) => {
    const line = (report.sourceText(span.path) ?? '').split(/\r\n?|\n/)[span.line - 1] ?? '';
    const digest = createHash('sha256')
      .update(`${code}\n${span.path}\n${line.trim()}`)
      .digest('hex')
      .slice(0, 32);
    const count = (seen.get(digest) ?? 0) + 1;
    seen.set(digest, count);
    return `${digest}:${count}`;
  };
}
