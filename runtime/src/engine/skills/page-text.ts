import { LIMITS } from '../../contract/limits.ts';

/** Which part of a text to show. */
export interface Page {
  /** first line, from 1; default 1 */
  readonly offset?: number | undefined;
  /** the most lines; never more than 2,000 are shown */
  readonly limit?: number | undefined;
}

/** Where a page begins and ends, counted from 1, in a text of `lines` lines. */
export interface ShownLines {
  readonly from: number;
  readonly to: number;
  readonly lines: number;
}

/**
 * One page of a text: at most 2,000 lines or 50 KB, whichever is reached first, cut at a line end, with a marker that
 * says where to read on (TRD-01, TRD-02). Throws when `offset` lies past the end (TRD-03).
 *
 * @param longLine gives the command that shows a line from a character on, which paging cannot reach (TRD-04)
 */
export function pageText(
  text: string,
  page: Page,
  longLine?: (line: number, character: number) => string,
): string {
  if (text === '') return '(empty file)';
  const { all, shown } = cut(text, page);
  const { from, to, lines } = placesOf(page, shown, all);
  if (shown.length === 0) {
    const next = to === lines ? '' : `; read on with offset ${to + 1}`;
    return cutLine(all[from - 1]!, from, longLine, next);
  }
  const joined = shown.join('\n');
  if (to === lines) return joined;
  return `${joined}\n[lines ${from} to ${to} of ${lines}; read on with offset ${to + 1}]`;
}

/** The lines that `pageText()` shows. */
export function shownLines(text: string, page: Page): ShownLines {
  if (text === '') return { from: 0, to: 0, lines: 0 };
  const { all, shown } = cut(text, page);
  return placesOf(page, shown, all);
}

function placesOf({ offset = 1 }: Page, shown: readonly string[], all: readonly string[]): ShownLines {
  return { from: offset, to: offset + Math.max(shown.length, 1) - 1, lines: all.length };
}

function cut(text: string, { offset = 1, limit = LIMITS.pageLines }: Page) {
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  if (offset > all.length)
    throw new Error(`The file has ${all.length} lines; line ${offset} is past its end.`);
  const wanted = all.slice(offset - 1, offset - 1 + Math.min(limit, LIMITS.pageLines));
  return { all, shown: withinBytes(wanted) };
}

function withinBytes(lines: readonly string[]): string[] {
  let bytes = 0;
  const end = lines.findIndex((line) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > LIMITS.pageBytes + 1;
  });
  return end === -1 ? [...lines] : lines.slice(0, end);
}

/** TRD-04. */
function cutLine(
  line: string,
  number: number,
  more: ((line: number, character: number) => string) | undefined,
  next: string,
): string {
  const bytes = Buffer.from(line);
  const shown = prefixWithin(bytes, LIMITS.pageBytes).toString();
  const hint = more ? `; this shows the rest: ${more(number, [...shown].length + 1)}` : '';
  return `${shown}\n[line ${number} has ${bytes.length} bytes; the rest of it cannot be reached by paging${hint}${next}]`;
}

/** The longest beginning of at most `limit` bytes that splits no character (BLT-03). */
export function prefixWithin(bytes: Buffer, limit: number): Buffer {
  let end = Math.min(limit, bytes.length);
  // A byte 10xxxxxx continues a character, which then goes as a whole.
  while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}
