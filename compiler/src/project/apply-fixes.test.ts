import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Diagnostic, TextEdit } from '../analysis/diagnostic.ts';
import { addFiles, temporaryProject } from '../testing/temporary-project.fixture.ts';
import { applyFixes } from './apply-fixes.ts';
import { writeFixed } from './write-fixed.ts';

function repair(edits: readonly (readonly [number, number, string])[], safe = true): Diagnostic {
  const span = { path: 'a.ts', start: 0, end: 1, line: 1, column: 1, endLine: 1, endColumn: 2 };
  const placed: TextEdit[] = edits.map(([start, end, text]) => ({ path: 'a.ts', start, end, text }));
  const fixes = [{ title: 'repair', safe, edits: placed }];
  return { code: 'FLUE1001', name: 'x', severity: 'error', message: 'x', span, related: [], fixes };
}

function after(text: string, ...findings: readonly Diagnostic[]): string | undefined {
  return applyFixes(findings, () => text)[0]?.after;
}

describe('applyFixes', () => {
  it('applies safe repairs only (CHK-08)', () => {
    expect(after('abcdef', repair([[0, 1, 'X']]), repair([[3, 4, 'Y']], false))).toBe('Xbcdef');
  });

  it('applies a repair whole or leaves it for the next pass (CHK-08)', () => {
    const files = applyFixes(
      [
        repair([[0, 2, 'X']]),
        repair([
          [1, 3, 'Y'],
          [5, 6, 'Z'],
        ]),
      ],
      () => 'abcdef',
    );
    expect(files).toMatchObject([{ after: 'Xcdef', repairs: 1 }]);
    expect(after('abc', repair([[1, 1, 'X']]), repair([[1, 1, 'Y']]))).toBe('aXbc');
  });

  it('takes over the line ends of the file (CHK-08)', () => {
    expect(after('a\r\nb\r\n', repair([[0, 0, 'x\ny\n']]))).toBe('x\r\ny\r\na\r\nb\r\n');
    expect(after('a\nb\n', repair([[0, 0, 'x\r\n']]))).toBe('x\na\nb\n');
  });
});

describe('writeFixed', () => {
  const file = { path: 'a.ts', before: 'old', after: 'new', edits: [], repairs: 1 };

  it('keeps the mode and a byte-order mark', () => {
    const root = temporaryProject({ 'a.ts': '\ufeffold' });
    chmodSync(join(root, 'a.ts'), 0o755);
    expect(writeFixed(root, file)).toBe(true);
    expect(readFileSync(join(root, 'a.ts'), 'utf8')).toBe('\ufeffnew');
    expect(statSync(join(root, 'a.ts')).mode & 0o777).toBe(0o755);
  });

  it('leaves a file alone that changed meanwhile (CHK-08)', () => {
    const root = temporaryProject({ 'a.ts': 'old' });
    addFiles(root, { 'a.ts': 'edited' });
    expect(writeFixed(root, file)).toBe(false);
    expect(readFileSync(join(root, 'a.ts'), 'utf8')).toBe('edited');
  });
});
