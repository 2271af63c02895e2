import type { JsonObject, JsonValue } from '../ports/model-shapes.ts';

/** Thrown for a value that JSON cannot hold; the message opens with its path (JSON-01). */
export class NotJsonError extends TypeError {
  override readonly name = 'NotJsonError';
}

/**
 * A detached JSON copy of `value` (JSON-01, JSON-02): what is stored is what the author handed over at this moment,
 * and what a reader gets later is the same value again. Objects with `toJSON` are replaced by its result; object
 * properties that are `undefined` are dropped.
 *
 * @param root names the value itself in paths, such as `output` in `output.items[2].at`
 * @throws NotJsonError that names path and kind of the first offender
 */
export function snapshotJson(value: unknown, root: string): JsonValue {
  return copy(value, { key: '', path: () => root }, []);
}

/** Where a value sits; the text is built for the offender only. */
interface Place {
  readonly key: string;
  readonly path: () => string;
}

function copy(value: unknown, place: Place, ancestors: object[]): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw refused(place, String(value));
    return value === 0 ? 0 : value; // -0 would read back as 0
  }
  if (typeof value !== 'object') throw refused(place, kindOf(value));
  const plain = withoutToJson(value, place.key);
  if (plain !== value) {
    // The result of `toJSON` is final, as for JSON.stringify: asking it again could go on for ever.
    if (typeof plain !== 'object' || plain === null) return copy(plain, place, ancestors);
    return copyObject(plain, place, ancestors);
  }
  return copyObject(value, place, ancestors);
}

function copyObject(value: object, place: Place, ancestors: object[]): JsonValue {
  if (ancestors.includes(value))
    throw new NotJsonError(`${place.path()} refers to an object that contains it.`);
  if (!Array.isArray(value) && !isPlainObject(value)) throw refused(place, kindOf(value));
  ancestors.push(value);
  const result = Array.isArray(value)
    ? copyArray(value, place, ancestors)
    : copyProperties(value as Record<string, unknown>, place, ancestors);
  ancestors.pop();
  return result;
}

function copyArray(value: readonly unknown[], place: Place, ancestors: object[]): JsonValue[] {
  // Array.from also visits holes, which are `undefined` and refused like it.
  return Array.from(value, (item, index) =>
    copy(item, { key: String(index), path: () => `${place.path()}[${index}]` }, ancestors),
  );
}

function copyProperties(value: Record<string, unknown>, place: Place, ancestors: object[]): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (item === undefined) continue;
    put(result, key, copy(item, { key, path: () => place.path() + property(key) }, ancestors));
  }
  return result;
}

function withoutToJson(value: object, key: string): unknown {
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? toJSON.call(value, key) : value;
}

/** A plain object of any realm. The tag tells apart what only looks plain, such as `Math` or a module namespace. */
function isPlainObject(value: object): boolean {
  if (Object.prototype.toString.call(value) !== '[object Object]') return false;
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** An own `__proto__` key is data like any other; plain assignment would set the prototype instead. */
function put<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

function property(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function refused(place: Place, kind: string): NotJsonError {
  return new NotJsonError(
    `${place.path()} is ${kind}, which JSON cannot hold. Use null, a boolean, a finite number, a string, an array ` +
      'or a plain object.',
  );
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' && name !== 'Object'
    ? `an instance of ${name}`
    : `an object of kind ${Object.prototype.toString.call(value).slice(8, -1)}`;
}

/**
 * An independent copy of a JSON value. In a value that is not wholly JSON, whatever is neither an array nor a plain
 * object stays as it is.
 */
export function cloneJson<T>(value: T): T;
export function cloneJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => cloneJson(item));
  if (!isPlainObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) put(result, key, cloneJson(item));
  return result;
}

/** Equality of JSON values; the order of an object's keys does not count (STATE-06). */
export function equalJson(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => equalJson(item, b[index] as JsonValue));
  }
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key] as JsonValue, b[key] as JsonValue))
  );
}
