import type { Span } from './diagnostic.ts';
import type { Module, Range } from './program.ts';

/** Lines as editors and TypeScript count them: `\n`, `\r\n`, `\r` and the two Unicode separators end one. */
export function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 13 && text.charCodeAt(i + 1) === 10) i++;
    else if (c !== 10 && c !== 13 && c !== 0x2028 && c !== 0x2029) continue;
    starts.push(i + 1);
  }
  return starts;
}

export function spanOf(module: Pick<Module, 'path' | 'lineStarts'>, range: Range): Span {
  const from = locate(module.lineStarts, range.start);
  const to = locate(module.lineStarts, range.end);
  return {
    path: module.path,
    start: range.start,
    end: range.end,
    line: from.line,
    column: from.column,
    endLine: to.line,
    endColumn: to.column,
  };
}

function locate(starts: readonly number[], offset: number): { line: number; column: number } {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - starts[low]! + 1 };
}

/** Source text on one line, short enough for a message. */
export function excerpt(module: Pick<Module, 'text'>, range: Range, limit = 40): string {
  const text = module.text.slice(range.start, range.end).replace(/\s+/g, ' ').trim();
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
