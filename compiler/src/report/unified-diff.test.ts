import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.fixture.ts';
import { unifiedDiff } from './unified-diff.ts';

const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n');
const edit = (find: string, text: string) => {
  const start = lines.indexOf(`${find}\n`) < 0 ? lines.lastIndexOf(find) : lines.indexOf(`${find}\n`);
  return { path: 'a.txt', start, end: start + find.length, text };
};

const within = (find: string, from: number, to: number, text: string) => {
  const { start } = edit(find, '');
  return { path: 'a.txt', start: start + from, end: start + to, text };
};

describe('unifiedDiff', () => {
  it('shows a change with three lines around it', () => {
    expect(unifiedDiff('a.txt', lines, [edit('line 10', 'ten')])).toBe(
      [
        '--- a/a.txt',
        '+++ b/a.txt',
        '@@ -7,7 +7,7 @@',
        ' line 7',
        ' line 8',
        ' line 9',
        '-line 10',
        '+ten',
        ' line 11',
        ' line 12',
        ' line 13',
        '',
      ].join('\n'),
    );
  });

  it('keeps a line that an insertion only touches as context', () => {
    const diff = unifiedDiff('a.txt', lines, [{ path: 'a.txt', start: 0, end: 0, text: 'zero\n' }]);
    expect(diff).toContain('@@ -1,4 +1,5 @@\n+zero\n line 1\n line 2\n');
  });

  it.each([
    ['changes far apart', [edit('line 2', 'two\nand a half'), edit('line 20', '')]],
    ['changes in one line', [within('line 5', 0, 2, 'LI'), within('line 5', 5, 6, 'five')]],
    ['changes close by', [edit('line 5', 'five'), edit('line 9', 'nine')]],
    ['the last line without an end', [edit('line 30', 'thirty')]],
    ['an insertion at the start', [{ path: 'a.txt', start: 0, end: 0, text: 'zero\n' }]],
    ['the whole text', [{ path: 'a.txt', start: 0, end: lines.length, text: '' }]],
  ])('is what git applies: %s', (_, edits) => {
    const root = temporaryProject({ 'a.txt': lines });
    execFileSync('git', ['init', '--quiet'], { cwd: root });
    execFileSync('git', ['apply', '-'], { cwd: root, input: unifiedDiff('a.txt', lines, edits) });
    let expected = lines;
    for (const { start, end, text } of [...edits].reverse())
      expected = expected.slice(0, start) + text + expected.slice(end);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(expected);
  });
});
