import { LIMITS } from '../../contract/limits.ts';

/** Which part of a text to show. */
export interface Page {
  /** first line, from 1; default 1 */
  readonly offset?: number | undefined;
  /** the most lines; never more than 2,000 are shown */
  readonly limit?: number | undefined;
}

/**
 * One page of a text: at most 2,000 lines or 50 KB, whichever is reached first, cut at a line end, with a marker that
 * says where to read on (TRD-01, TRD-02). Throws when `offset` lies past the end (TRD-03).
 */
export function pageText(text: string, { offset = 1, limit = LIMITS.pageLines }: Page): string {
  if (text === '') return '(empty file)';
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (offset > lines.length)
    throw new Error(`The file has ${lines.length} lines; line ${offset} is past its end.`);
  const wanted = lines.slice(offset - 1, offset - 1 + Math.min(limit, LIMITS.pageLines));
  const shown = withinBytes(wanted);
  if (shown.length === 0) return longLine(lines[offset - 1]!, offset);
  const last = offset + shown.length - 1;
  const page = shown.join('\n');
  if (last === lines.length) return page;
  return `${page}\n[lines ${offset} to ${last} of ${lines.length}; read on with offset ${last + 1}]`;
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
function longLine(line: string, number: number): string {
  const bytes = Buffer.from(line);
  let end: number = LIMITS.pageBytes;
  // A byte 10xxxxxx continues a character, which then goes as a whole.
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  return `${bytes.subarray(0, end).toString()}\n[line ${number} has ${bytes.length} bytes; the rest of it cannot be reached by paging]`;
}
