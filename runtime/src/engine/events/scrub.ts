/** Stands for the bytes of an image in every observation (RED-03, SCRUB-01). */
export const IMAGE_DATA_OMITTED = '[image data omitted from event]';

/** Replaces what must not be seen in a text. */
export type Redact = (text: string) => string;

/** What is told, and by which names it is told: a name holds no text of anybody, but it may hold a credential. */
export interface Redaction {
  readonly text: Redact;
  readonly name: Redact;
}

/** What is told of again and again and never changes, with its copies by what they were redacted with. */
const lasting = new WeakMap<object, WeakMap<Redaction, unknown>>();

/** Has the copy of a value kept as long as the value: a conversation is told of anew with each of its requests. */
export function keepCopies(values: readonly object[]): void {
  for (const value of values) if (!lasting.has(value)) lasting.set(value, new WeakMap());
}

/**
 * A copy that nothing else holds, frozen throughout, with every text and every name redacted and every image without its
 * bytes. What is neither JSON nor readable becomes `"[unserializable]"`, so that no observation fails for its content.
 */
export function scrub(value: unknown, redact: Redaction): unknown {
  return copy(value, redact, []);
}

const UNSERIALIZABLE = '[unserializable]';

function copy(value: unknown, redact: Redaction, ancestors: object[]): unknown {
  if (typeof value === 'string') return redact.text(value);
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

function freshCopy(value: object, redact: Redaction, ancestors: object[]): unknown {
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
  redact: Redaction,
  ancestors: object[],
): Record<string, unknown> {
  const isImage = value.type === 'image' && typeof value.data === 'string';
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (item === undefined) continue;
    const copied = isImage && key === 'data' ? IMAGE_DATA_OMITTED : copy(item, redact, ancestors);
    const name = redact.name(key);
    if (name === '__proto__') Object.defineProperty(result, name, { value: copied, enumerable: true });
    else result[name] = copied;
  }
  return result;
}
