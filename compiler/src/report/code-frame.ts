import type { Span } from '../analysis/diagnostic.ts';

/** Cells of a source line that are shown; of a longer one, the window around the finding. */
const WIDTH = 100;
const LEAD = 30;

/** The source line of a span with carets below it, or nothing when the text is gone. */
export function codeFrame(text: string | undefined, span: Span): string[] {
  const line = text === undefined ? undefined : lineAt(text, span.start);
  if (line === undefined) return [];
  const from = span.column - 1;
  const to = span.endLine === span.line ? span.endColumn - 1 : line.length;
  const cut = line.length > WIDTH ? Math.max(0, Math.min(from - LEAD, line.length - WIDTH)) : 0;
  const shown = line.slice(cut, cut + WIDTH);
  const lead = shown.slice(0, from - cut);
  const marked = shown.slice(from - cut, to - cut);

  const gutter = String(span.line);
  const blank = ' '.repeat(gutter.length);
  const before = cut > 0 ? '…' : '';
  const after = cut + WIDTH < line.length ? '…' : '';
  return [
    `${gutter} | ${before}${printable(shown)}${after}`,
    `${blank} | ${before && ' '}${padding(lead)}${'^'.repeat(Math.max(1, cells(marked)))}`,
  ];
}

/** Found from the offset, so that a file of one huge line is neither split nor copied. */
function lineAt(text: string, offset: number): string | undefined {
  if (offset > text.length) return undefined;
  let start = offset;
  while (start > 0 && !isLineBreak(text.charCodeAt(start - 1))) start--;
  let end = offset;
  while (end < text.length && !isLineBreak(text.charCodeAt(end))) end++;
  return text.slice(start, end);
}

function isLineBreak(code: number): boolean {
  return code === 10 || code === 13 || code === 0x2028 || code === 0x2029;
}

/** Source may hold escape sequences; a terminal must not obey them. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd');
}

function padding(text: string): string {
  return [...text].map((char) => (char === '\t' ? '\t' : ' '.repeat(cells(char)))).join('');
}

/** Terminal columns: ideographs, full-width forms and most emoji take two. */
function cells(text: string): number {
  let width = 0;
  for (const char of text) {
    const code = char.codePointAt(0)!;
    const wide =
      (code >= 0x1100 && code <= 0x115f) ||
      (code >= 0x2e80 && code <= 0xa4cf) ||
      (code >= 0xac00 && code <= 0xd7a3) ||
      (code >= 0xf900 && code <= 0xfaff) ||
      (code >= 0xfe30 && code <= 0xfe6f) ||
      (code >= 0xff00 && code <= 0xff60) ||
      (code >= 0x1f300 && code <= 0x1faff) ||
      (code >= 0x20000 && code <= 0x3fffd);
    width += /\p{Mn}/u.test(char) ? 0 : wide ? 2 : 1;
  }
  return width;
}
