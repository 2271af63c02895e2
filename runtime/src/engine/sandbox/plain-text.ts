import { stripVTControlCharacters } from 'node:util';

/**
 * Output as a reader sees it: without escapes of a terminal, of a line that was drawn again and again its last state, and
 * no other control characters (TBS-07).
 */
export function plainText(output: string): string {
  return stripVTControlCharacters(output).split('\n').map(lastState).join('\n').replace(CONTROL, '');
}

/** No regular expression: one that looks for the last return takes the square of a long line's length. */
function lastState(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return end === 0 ? '' : line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}

/** Tab and line feed stay. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
