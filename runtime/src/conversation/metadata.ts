import type { JsonObject, JsonValue } from '../ports/model-shapes.ts';

/** Keys that could reach a prototype when a reader copies them (RESP-04). */
const UNSAFE = new Set(['__proto__', 'constructor', 'prototype']);

/** Later values win and plain objects merge (RESP-04). Returns a new object; neither argument is changed. */
export function mergeMetadata(into: JsonObject | undefined, from: JsonObject): JsonObject {
  const merged: JsonObject = { ...into };
  for (const [key, value] of Object.entries(from)) {
    if (UNSAFE.has(key)) continue;
    const before = Object.hasOwn(merged, key) ? merged[key] : undefined;
    merged[key] = isObject(value) ? mergeMetadata(isObject(before) ? before : undefined, value) : safe(value);
  }
  return merged;
}

function safe(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(safe);
  return isObject(value) ? mergeMetadata(undefined, value) : value;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
