import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../analysis/diagnostic.ts';
import type { Report } from './report.ts';
import { sarifReport } from './sarif.ts';

const line = 'export function Bad_Name() {}';

function finding(startLine: number, fields: Partial<Diagnostic> = {}): Diagnostic {
  const span = {
    path: 'src/ä b.ts',
    start: 7,
    end: 15,
    line: startLine,
    column: 17,
    endLine: startLine,
    endColumn: 25,
  };
  return {
    code: 'FLUE1101',
    name: 'identity-pattern',
    severity: 'error',
    message: 'not a valid identity',
    span,
    related: [],
    fixes: [],
    ...fields,
  };
}

const tool = {
  version: '0.1.0',
  rules: [
    {
      code: 'FLUE1101',
      name: 'identity-pattern',
      severity: 'error',
      description: 'An identity out of form.',
    },
    { code: 'FLUE2203', name: 'hook-unconditional-strict', severity: 'off', description: 'Strict.' },
  ],
} as const;

function runOf(text: string, diagnostics: readonly Diagnostic[]) {
  const report: Report = { diagnostics, files: 1, agents: 1, durationMs: 1, sourceText: () => text };
  const document = JSON.parse(sarifReport(report, tool));
  expect(document).toMatchObject({ version: '2.1.0', $schema: expect.stringContaining('sarif-2.1.0') });
  return document.runs[0];
}

describe('sarif', () => {
  it('names the driver and all rules with descriptions (CHK-06)', () => {
    const { driver } = runOf(line, []).tool;
    expect(driver).toMatchObject({ name: 'flue', version: '0.1.0' });
    expect(driver.rules).toEqual([
      {
        id: 'FLUE1101',
        name: 'identity-pattern',
        shortDescription: { text: 'An identity out of form.' },
        help: { text: 'flue check --explain FLUE1101' },
        defaultConfiguration: { enabled: true, level: 'error' },
      },
      expect.objectContaining({ id: 'FLUE2203', defaultConfiguration: { enabled: false } }),
    ]);
  });

  it('places results by region, with URIs relative to SRCROOT (CHK-06)', () => {
    const [result] = runOf(line, [finding(1)]).results;
    expect(result).toMatchObject({ ruleId: 'FLUE1101', ruleIndex: 0, level: 'error' });
    expect(result.locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'src/%C3%A4%20b.ts', uriBaseId: 'SRCROOT' },
      region: { startLine: 1, startColumn: 17, endLine: 1, endColumn: 25, charOffset: 7, charLength: 8 },
    });
  });

  it('has the levels error, warning and note (CHK-06)', () => {
    const severities = ['error', 'warning', 'info', 'hint'] as const;
    const { results } = runOf(
      line,
      severities.map((severity) => finding(1, { severity })),
    );
    expect(results.map(({ level }: { level: string }) => level)).toEqual([
      'error',
      'warning',
      'note',
      'note',
    ]);
  });

  it('carries related places and fixes (CHK-06)', () => {
    const edits = [
      { path: 'a.ts', start: 1, end: 3, text: 'x' },
      { path: 'a.ts', start: 5, end: 6, text: '' },
    ];
    const related = [{ message: 'the other', span: finding(2).span }];
    const [result] = runOf(line, [
      finding(1, { related, fixes: [{ title: 'Rename', safe: true, edits }] }),
    ]).results;
    expect(result.relatedLocations).toMatchObject([{ id: 0, message: { text: 'the other' } }]);
    expect(result.fixes).toEqual([
      {
        description: { text: 'Rename' },
        artifactChanges: [
          {
            artifactLocation: { uri: 'a.ts', uriBaseId: 'SRCROOT' },
            replacements: [
              { deletedRegion: { charOffset: 1, charLength: 2 }, insertedContent: { text: 'x' } },
              { deletedRegion: { charOffset: 5, charLength: 1 } },
            ],
          },
        ],
      },
    ]);
  });

  it('fingerprints survive line moves and tell equal lines apart (CHK-06)', () => {
    const prints = (text: string, ...lines: number[]) =>
      runOf(
        text,
        lines.map((each) => finding(each)),
      ).results.map((result: { partialFingerprints: object }) => result.partialFingerprints);
    const [first, second] = prints(`${line}\n${line}`, 1, 2);
    expect(first).not.toEqual(second);
    expect(prints(`// moved\n\n  ${line}`, 3)).toEqual([first]);
    expect(prints('export function Other_Name() {}', 1)).not.toEqual([first]);
  });
});
