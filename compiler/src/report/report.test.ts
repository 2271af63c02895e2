import { describe, expect, it } from 'vitest';
import type { Diagnostic, Span } from '../analysis/diagnostic.ts';
import { codeFrame } from './code-frame.ts';
import { githubReport } from './github.ts';
import { jsonReport } from './json.ts';
import { prettyReport } from './pretty.ts';
import type { Report } from './report.ts';

const text = "'use agent';\nexport function Bad_Name() {}\n";

function spanOf(source: string, needle: string, path = 'src/a.ts'): Span {
  const start = source.indexOf(needle);
  const before = source.slice(0, start).split('\n');
  const line = before.length;
  const column = before.at(-1)!.length + 1;
  return {
    path,
    start,
    end: start + needle.length,
    line,
    column,
    endLine: line,
    endColumn: column + needle.length,
  };
}

function finding(fields: Partial<Diagnostic> = {}): Diagnostic {
  return {
    code: 'FLUE1101',
    name: 'identity-pattern',
    severity: 'error',
    message: '"Bad_Name" is not a valid agent identity.',
    span: spanOf(text, 'Bad_Name'),
    related: [],
    fixes: [],
    ...fields,
  };
}

function report(diagnostics: readonly Diagnostic[]): Report {
  return { diagnostics, files: 3, agents: 1, durationMs: 41.6, sourceText: () => text };
}

describe('pretty', () => {
  const plain = { color: false, verbose: false };

  it('shows place, severity, rule, message, code frame, related places, help and summary (CHK-04)', () => {
    const related = [{ message: 'declared here', span: spanOf(text, "'use agent'", 'src/b.ts') }];
    const fixes = [{ title: 'Set agentName', safe: true, edits: [] }];
    expect(prettyReport(report([finding({ related, fixes })]), plain)).toBe(
      [
        'src/a.ts:2:17 error FLUE1101 identity-pattern',
        '  "Bad_Name" is not a valid agent identity.',
        '  2 | export function Bad_Name() {}',
        '    |                 ^^^^^^^^',
        '  related src/b.ts:1:1 declared here',
        '  help Set agentName (flue check --explain FLUE1101)',
        '',
        '1 error, 0 warnings: 1 agent in 3 files checked in 42 ms.',
        '',
      ].join('\n'),
    );
  });

  it('prints hints only when asked, but counts them (RULE-33)', () => {
    const hints = report([finding({ severity: 'hint', message: 'a piece of advice' })]);
    expect(prettyReport(hints, plain)).not.toContain('a piece of advice');
    expect(prettyReport(hints, plain)).toContain('1 hint');
    expect(prettyReport(hints, { ...plain, verbose: true })).toContain('a piece of advice');
  });

  it('has colour only when told so (CLI-03)', () => {
    expect(prettyReport(report([finding()]), plain)).not.toContain('\u001b');
    expect(prettyReport(report([finding()]), { ...plain, color: true })).toContain('\u001b[31merror');
  });

  it('says so when nothing was found', () => {
    expect(prettyReport(report([]), plain)).toBe('No problems: 1 agent in 3 files checked in 42 ms.\n');
  });
});

describe('codeFrame', () => {
  it('keeps tabs and wide characters in step', () => {
    const source = "\tconst 名前 = 'ü' + bad;";
    const [, carets] = codeFrame(source, spanOf(source, 'bad'));
    expect(carets).toBe(`  | \t${' '.repeat(19)}^^^`);
  });

  it('shows a window of a very long line', () => {
    const source = `${'a'.repeat(500_000)}BAD${'b'.repeat(500_000)}`;
    const [line, carets] = codeFrame(source, spanOf(source, 'BAD'));
    expect(line!.length).toBeLessThan(120);
    expect(line!.indexOf('BAD')).toBe(carets!.indexOf('^^^'));
  });

  it('lets no control character of the source reach the terminal', () => {
    const source = 'x\u001b[2Jbad';
    expect(codeFrame(source, spanOf(source, 'bad'))[0]).toBe('1 | x\ufffd[2Jbad');
  });

  it('marks to the end of the line when the finding goes on below', () => {
    const span = { ...spanOf('a(\nb)', 'a(\nb)'), endLine: 2, endColumn: 3 };
    expect(codeFrame('a(\nb)', span)).toEqual(['1 | a(', '  | ^^']);
  });

  it('is empty when the text is not at hand', () => {
    expect(codeFrame(undefined, spanOf('a', 'a'))).toEqual([]);
  });
});

describe('json', () => {
  it('is one document of version 1 with ranges, related places and fixes (CHK-05)', () => {
    const edits = [{ path: 'src/a.ts', start: 1, end: 2, text: 'x' }];
    const fixes = [{ title: 'Set agentName', safe: true, edits }];
    const related = [{ message: 'declared here', span: spanOf(text, "'use agent'", 'src/b.ts') }];
    const document = JSON.parse(jsonReport(report([finding({ fixes, related })])));
    expect(document).toEqual({
      version: 1,
      root: '.',
      summary: { errors: 1, warnings: 0, infos: 0, hints: 0, files: 3, agents: 1, durationMs: 42 },
      diagnostics: [
        {
          rule: 'FLUE1101',
          name: 'identity-pattern',
          severity: 'error',
          message: '"Bad_Name" is not a valid agent identity.',
          file: 'src/a.ts',
          range: { start: { line: 2, column: 17, offset: 29 }, end: { line: 2, column: 25, offset: 37 } },
          help: 'Set agentName (flue check --explain FLUE1101)',
          related: [
            {
              message: 'declared here',
              file: 'src/b.ts',
              range: { start: { line: 1, column: 1, offset: 0 }, end: { line: 1, column: 12, offset: 11 } },
            },
          ],
          fixes: [
            {
              title: 'Set agentName',
              safe: true,
              edits: [{ file: 'src/a.ts', start: 1, end: 2, text: 'x' }],
            },
          ],
        },
      ],
    });
  });
});

describe('github', () => {
  it('is one escaped annotation per finding (CHK-07)', () => {
    const odd = finding({
      message: '100% of\nit',
      severity: 'info',
      span: { ...finding().span, path: 'a,b:c.ts' },
    });
    expect(githubReport(report([finding(), odd]), { verbose: false })).toBe(
      '::error file=src/a.ts,line=2,col=17,endLine=2,endColumn=25,title=FLUE1101::"Bad_Name" is not a valid agent identity.\n' +
        '::notice file=a%2Cb%3Ac.ts,line=2,col=17,endLine=2,endColumn=25,title=FLUE1101::100%25 of%0Ait\n',
    );
  });
});
