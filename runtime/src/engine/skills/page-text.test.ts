import { describe, expect, it } from 'vitest';
import { pageText } from './page-text.ts';

const lines = (count: number, text = (n: number) => `line ${n}`) =>
  `${Array.from({ length: count }, (_, index) => text(index + 1)).join('\n')}\n`;

describe('a page of a text', () => {
  it('is the whole of a short one, without its last line end (SKILL-22)', () => {
    expect(pageText('a\nb\n', {})).toBe('a\nb');
    expect(pageText('a\r\n\r\nb', {})).toBe('a\r\n\r\nb');
    expect(pageText('', {})).toBe('(empty file)');
  });

  it('ends after 2,000 lines with where to read on (SKILL-22)', () => {
    const page = pageText(lines(2001), {});
    expect(page).toMatch(/\nline 2000\n\[lines 1 to 2000 of 2001; read on with offset 2001\]$/);
    expect(pageText(lines(2001), { offset: 2001 })).toBe('line 2001');
    expect(pageText(lines(2001), { limit: 5000 })).toBe(page);
  });

  it('ends before 50 KB are passed, at a line end (SKILL-22)', () => {
    const long = lines(100, () => 'ä'.repeat(512));
    const [page, marker] = pageText(long, {}).split('\n[');
    expect(Buffer.byteLength(page!)).toBe(49 * 1025 - 1);
    expect(marker).toBe('lines 1 to 49 of 100; read on with offset 50]');
  });

  it('reaches every line once when read on as told (SKILL-22)', () => {
    const text = lines(100, (n) => `${n} ${'x'.repeat(1500)}`);
    const read: string[] = [];
    for (let offset = 1; offset; ) {
      const [page, next] = pageText(text, { offset }).split(/\n\[.* offset (\d+)\]$/);
      read.push(page!);
      offset = Number(next ?? 0);
    }
    expect(`${read.join('\n')}\n`).toBe(text);
  });

  it('starts at `offset` and shows `limit` lines', () => {
    expect(pageText(lines(5), { offset: 2, limit: 2 })).toBe(
      'line 2\nline 3\n[lines 2 to 3 of 5; read on with offset 4]',
    );
  });

  it('is an error past the end, naming the count of lines', () => {
    expect(() => pageText(lines(3), { offset: 4 })).toThrow('The file has 3 lines; line 4 is past its end.');
  });

  it('shows the beginning of a line that is larger than a page, cut at a character', () => {
    const [shown, note] = pageText(`x${'ä'.repeat(40_000)}\n`, {}).split('\n');
    expect(Buffer.byteLength(shown!)).toBe(51_199);
    expect(note).toBe('[line 1 has 80001 bytes; the rest of it cannot be reached by paging]');
  });
});
