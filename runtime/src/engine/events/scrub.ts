/** Stands for the bytes of an image in every observation (RED-03, SCRUB-01). */
export const IMAGE_DATA_OMITTED = '[image data omitted from event]';

/** Replaces what must not be seen in a text. */
export type Redact = (text: string) => string;

/** What is told of again and again and never changes, with its copies by what they were redacted with. */
const lasting = new WeakMap<object, WeakMap<Redact, unknown>>();

/** Has the copy of a value kept as long as the value: a conversation is told of anew with each of its requests. */
export function keepCopies(values: readonly object[]): void {
  for (const value of values) if (!lasting.has(value)) lasting.set(value, new WeakMap());
}

/**
 * A copy that nothing else holds, frozen throughout, with every text passed through `redact` and every image without its
 * bytes. What is neither JSON nor readable becomes `"[unserializable]"`, so that no observation fails for its content.
 */
export function scrub(value: unknown, redact: Redact): unknown {
  return copy(value, redact, []);
}

const UNSERIALIZABLE = '[unserializable]';

function copy(value: unknown, redact: Redact, ancestors: object[]): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object') {
    return typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint'
      ? UNSERIALIZABLE
      : value;
  }
  if (value === null) return null;
  if (ancestors.includes(value)) return UNSERIALIZABLE;
  const copies = lasting.get(value);
  if (!copies) return freshCopy(value, redact, ancestors);
  const known = copies.get(redact);
  if (known) return known;
  const fresh = freshCopy(value, redact, ancestors);
  copies.set(redact, fresh);
  return fresh;
}

function freshCopy(value: object, redact: Redact, ancestors: object[]): unknown {
  ancestors.push(value);
  try {
    return Object.freeze(
      Array.isArray(value)
        ? value.map((item) => copy(item, redact, ancestors))
        : copyObject(value as Record<string, unknown>, redact, ancestors),
    );
  } catch {
    return UNSERIALIZABLE; // a getter or a proxy of whoever made it
  } finally {
    ancestors.pop();
  }
}

function copyObject(
  value: Record<string, unknown>,
  redact: Redact,
  ancestors: object[],
): Record<string, unknown> {
  const isImage = value.type === 'image' && typeof value.data === 'string';
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (item === undefined) continue;
    const copied = isImage && key === 'data' ? IMAGE_DATA_OMITTED : copy(item, redact, ancestors);
    if (key === '__proto__') Object.defineProperty(result, key, { value: copied, enumerable: true });
    else result[key] = copied;
  }
  return result;
}
