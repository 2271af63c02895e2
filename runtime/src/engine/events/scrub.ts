/** Stands for the bytes of an image in every observation (RED-03, SCRUB-01). */
export const IMAGE_DATA_OMITTED = '[image data omitted from event]';

/**
 * A copy that nothing else holds, frozen throughout, with every text passed through `redact` and every image without its
 * bytes. What is neither JSON nor readable becomes `"[unserializable]"`, so that no observation fails for its content.
 */
export function scrub(value: unknown, redact: (text: string) => string): unknown {
  return copy(value, redact, []);
}

const UNSERIALIZABLE = '[unserializable]';

function copy(value: unknown, redact: (text: string) => string, ancestors: object[]): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object') {
    return typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint'
      ? UNSERIALIZABLE
      : value;
  }
  if (value === null) return null;
  if (ancestors.includes(value)) return UNSERIALIZABLE;
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
  redact: (text: string) => string,
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
