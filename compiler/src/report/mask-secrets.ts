import type { Report } from './report.ts';

/** The same report, in whose texts nothing can be read that a rule took for a credential (FLUE5015). Offsets stay. */
export function maskSecrets(report: Report): Report {
  const secrets = report.diagnostics.filter(({ code }) => code === 'FLUE5015');
  return {
    ...report,
    sourceText(path) {
      const text = report.sourceText(path);
      return secrets
        .filter(({ span }) => span.path === path)
        .reduce((masked, { span }) => mask(masked, span.start, span.end), text);
    },
  };
}

function mask(text: string | undefined, start: number, end: number): string | undefined {
  if (text === undefined) return undefined;
  return text.slice(0, start) + text.slice(start, end).replace(/[^\r\n]/g, '*') + text.slice(end);
}
