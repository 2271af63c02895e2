/** The end of a text that fits, cut at a line end where there is one, else at a character (BLT-03). */
export function tailOf(
  text: string,
  maxLines: number,
  maxBytes: number,
): { readonly text: string; readonly omittedLines: number; readonly omittedBytes: number } {
  const lines = text.split('\n');
  let kept = 0;
  let bytes = 0;
  while (kept < Math.min(lines.length, maxLines)) {
    const more = Buffer.byteLength(lines[lines.length - 1 - kept]!) + (kept > 0 ? 1 : 0);
    if (bytes + more > maxBytes) break;
    bytes += more;
    kept += 1;
  }
  const shown = kept > 0 ? lines.slice(lines.length - kept).join('\n') : suffix(lines.at(-1)!, maxBytes);
  const omittedBytes = Buffer.byteLength(text) - Buffer.byteLength(shown);
  return { text: shown, omittedLines: omittedBytes === 0 ? 0 : lines.length - kept, omittedBytes };
}

function suffix(line: string, maxBytes: number): string {
  const bytes = Buffer.from(line);
  let start = bytes.length - maxBytes;
  while ((bytes[start]! & 0xc0) === 0x80) start++;
  return bytes.subarray(start).toString();
}
