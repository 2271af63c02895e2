/** SHA-256 of a text's UTF-8 bytes as lower-case hex; handed in, because this folder loads no platform module. */
export type Sha256 = (text: string) => string;

/**
 * The one printed form of a JSON value (DET-02): keys by UTF-16 code unit at every level, two spaces, `\n`, one final
 * newline, non-ASCII kept, control characters escaped. What JSON leaves out of an object (`undefined`) is left out.
 */
export function canonicalJson(value: unknown): string {
  return `${print(value, '\n')}\n`;
}

/** The manifest's `hash` (MAN-01): over its canonical form without `$generated` and `hash`, which do not describe it. */
export function manifestHash(manifest: object, sha256: Sha256): string {
  const { $generated: _notice, hash: _hash, ...content } = manifest as Record<string, unknown>;
  return `sha256:${sha256(canonicalJson(content))}`;
}

/** `<` on code units: total, and the same in every locale (DET-03). */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Printed by hand, because no order of insertion makes an object list its integer-like keys in code-unit order.
 * `newline` carries the indentation of the enclosing level.
 */
function print(value: unknown, newline: string): string {
  const inner = `${newline}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[${value.map((item) => inner + print(item ?? null, inner)).join(',')}${newline}]`;
  }
  if (typeof value !== 'object' || value === null) return scalar(value);
  let members = '';
  // Without a comparison of its own, `sort` goes by UTF-16 code unit.
  for (const key of Object.keys(value).sort()) {
    const item = (value as Record<string, unknown>)[key];
    if (item === undefined) continue;
    members += `${members === '' ? '' : ','}${inner}${scalar(key)}: ${print(item, inner)}`;
  }
  return members === '' ? '{}' : `{${members}${newline}}`;
}

function scalar(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`[flue] a ${typeof value} has no JSON form.`);
  // Asked first, since hardly any text has one, and every key and value of a document passes here.
  if (!CONTROL.test(text)) return text;
  return text.replace(CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Control characters that `JSON.stringify` leaves as they are. */
const CONTROL = /[\u007f-\u009f]/;
const CONTROLS = new RegExp(CONTROL, 'g');
