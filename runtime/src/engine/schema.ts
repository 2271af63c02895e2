import type * as v from 'valibot';

/** Schemas found to be synchronous, so that a schema shared by many definitions is walked once. */
const known = new WeakSet<object>();

/** A Valibot schema that answers synchronously, of whichever copy of the library. */
export function isSyncSchema(value: unknown): value is v.GenericSchema {
  return isSchema(value) && !holdsAsync(value);
}

function isSchema(value: unknown): value is v.GenericSchema | v.GenericSchemaAsync {
  return isRecord(value) && value.kind === 'schema' && typeof value['~run'] === 'function';
}

const OBJECT_SCHEMAS = ['object', 'strict_object', 'loose_object', 'object_with_rest'];

/** Whether it is an object schema at the top, also a piped one (TOOL-03). */
export function isObjectSchema(value: unknown): value is v.GenericSchema<Record<string, unknown>> {
  return isSchema(value) && OBJECT_SCHEMAS.includes(value.type);
}

/**
 * Whether the schema or a part of it is asynchronous. A synchronous parent does not await such a part: it would take
 * the part's promise for a success and drop the value without a word.
 */
function holdsAsync(schema: object): boolean {
  if (known.has(schema)) return false;
  if ((schema as { async?: unknown }).async === true) return true;
  known.add(schema); // before its parts: a getter may lead back here
  const found = parts(schema).some(holdsAsync);
  if (found) known.delete(schema);
  return found;
}

/** Schemas and actions directly below: members such as `item` and `wrapped`, lists such as `pipe`, maps such as `entries`. */
function parts(schema: object): object[] {
  const found: object[] = [];
  for (const key of Object.keys(schema)) {
    if (key === '~standard') continue; // a getter that builds an object each time
    const member = (schema as Record<string, unknown>)[key];
    if (isPart(member)) found.push(member);
    else if (typeof member === 'object' && member !== null)
      found.push(...Object.values(member).filter(isPart));
  }
  return found.filter((part) => part !== schema);
}

function isPart(value: unknown): value is object {
  return isRecord(value) && typeof value.kind === 'string' && '~run' in value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
