import { stripVTControlCharacters } from 'node:util';

/**
 * Output as a reader sees it: without escapes of a terminal, of a line that was drawn again and again its last state, and
 * no other control characters (TBS-07).
 */
export function plainText(output: string): string {
  return stripVTControlCharacters(output)
    .replace(/\r+\n/g, '\n')
    .replace(/[^\n]*\r(?=[^\n])/g, '')
    .replace(CONTROL, '');
}

/** Tab and line feed stay. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
