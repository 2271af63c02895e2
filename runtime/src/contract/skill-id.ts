import { compareCodeUnits } from './canonical-json.ts';

/**
 * `skill:<name>:<16 hex digits>`, the identity of a packaged skill: equal content gives an equal id on every target
 * (SKILL-04). `files` are contents by relative path, `SKILL.md` included; `sha256` gives the lower-case hex of bytes and is
 * handed in, because this folder loads no platform module.
 */
export function skillId(
  name: string,
  files: ReadonlyMap<string, string | Uint8Array>,
  sha256: (bytes: Uint8Array) => string,
): string {
  const encoder = new TextEncoder();
  const parts = [...files]
    .sort(([a], [b]) => compareCodeUnits(a, b))
    .flatMap(([path, file]) => {
      const content = typeof file === 'string' ? encoder.encode(file) : file;
      const place = encoder.encode(path);
      // Lengths keep what is a path and what is content apart.
      return [encoder.encode(`${place.length} ${content.length}\n`), place, content];
    });
  return `skill:${name}:${sha256(concatenated(parts)).slice(0, 16)}`;
}

function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.length;
  }
  return whole;
}
