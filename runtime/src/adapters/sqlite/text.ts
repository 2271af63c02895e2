/**
 * SQLite stores UTF-8, which has no lone surrogates, while a JavaScript string may hold them. Such text, and text that
 * begins like an escape, is stored as the separator followed by its JSON; everything else is stored as it is.
 *
 * A batch is its bodies joined by the separator, the control character RS, which JSON text never holds raw.
 */
const SEPARATOR = '\u001e';

export function encodeText(text: string): string {
  return isPlain(text) && !text.startsWith(SEPARATOR) ? text : SEPARATOR + JSON.stringify(text);
}

export function decodeText(stored: string): string {
  return stored.startsWith(SEPARATOR) ? (JSON.parse(stored.slice(1)) as string) : stored;
}

export function encodeRecords(records: readonly string[]): string {
  const joined = records.join(SEPARATOR);
  const plain =
    joined !== '' &&
    !joined.startsWith(SEPARATOR) &&
    isPlain(joined) &&
    records.every((body) => !body.includes(SEPARATOR));
  return plain ? joined : SEPARATOR + JSON.stringify(records);
}

export function decodeRecords(stored: string): string[] {
  return stored.startsWith(SEPARATOR) ? (JSON.parse(stored.slice(1)) as string[]) : stored.split(SEPARATOR);
}

/** In every Node that runs Flue, but not yet in the library that the sources are checked against. */
function isPlain(text: string): boolean {
  return (text as unknown as { isWellFormed(): boolean }).isWellFormed();
}
