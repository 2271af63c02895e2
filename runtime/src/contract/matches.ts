import type * as v from 'valibot';

/** Schemas and actions as the walk below sees them: Valibot's own objects. */
interface Node {
  readonly kind: 'schema' | 'validation' | 'transformation' | 'metadata';
  readonly type: string;
  readonly entries?: Readonly<Record<string, Node>>;
  readonly item?: Node;
  readonly items?: readonly Node[];
  /** of a record its keys, of a variant the name of the entry that tells its options apart */
  readonly key?: Node | string;
  readonly value?: Node;
  readonly wrapped?: Node;
  readonly default?: unknown;
  readonly options?: readonly unknown[];
  readonly check?: (input: unknown) => boolean;
  readonly literal?: unknown;
  readonly requirement?: unknown;
  readonly pipe?: readonly Node[];
  readonly getter?: (input: unknown) => Node;
}

/**
 * Whether a schema takes the value as it is, with nothing to fill in; what it does not name may be there too. Says so
 * several times faster than the schema, since it gathers no issues and copies nothing; it answers no where it is not sure,
 * and then the schema itself has to say why.
 */
export function matches<S extends v.GenericSchema>(schema: S, value: unknown): value is v.InferOutput<S> {
  return test(schema as unknown as Node, value);
}

function test(node: Node, value: unknown): boolean {
  if (!testOne(node, value)) return false;
  const { pipe } = node;
  // The first of a pipe is the schema itself.
  if (pipe) for (let i = 1; i < pipe.length; i++) if (!acts(pipe[i]!, value)) return false;
  return true;
}

/** Without a closure, which would cost every call of it an allocation. */
function testOne(node: Node, value: unknown): boolean {
  switch (node.type) {
    case 'string':
    case 'boolean':
      return typeof value === node.type;
    case 'number':
      return typeof value === 'number' && !Number.isNaN(value);
    case 'unknown':
      return true;
    case 'literal':
      return value === node.literal;
    case 'picklist':
      return node.options!.includes(value);
    case 'optional':
      return value === undefined ? node.default === undefined : test(node.wrapped!, value);
    case 'exact_optional':
      return test(node.wrapped!, value);
    case 'custom':
      return node.check!(value);
    case 'nullable':
      return value === null || test(node.wrapped!, value);
    case 'union':
      return isOption(node, value);
    case 'variant':
      return isObject(value) && isVariant(node, value);
    case 'lazy':
      return test(node.getter!(value), value);
    case 'array': {
      if (!Array.isArray(value)) return false;
      const item = node.item!;
      for (let i = 0; i < value.length; i++) if (!test(item, value[i])) return false;
      return true;
    }
    case 'tuple': {
      const items = node.items!;
      if (!Array.isArray(value) || value.length !== items.length) return false;
      for (let i = 0; i < items.length; i++) if (!test(items[i]!, value[i])) return false;
      return true;
    }
    case 'record': {
      // A key is any string, or the schema has to be asked.
      const key = node.key as Node;
      if (!isObject(value) || key.type !== 'string' || key.pipe) return false;
      const item = node.value!;
      if (item.type !== 'unknown') for (const key in value) if (!test(item, value[key])) return false;
      return true;
    }
    case 'object':
      return isObject(value) && hasEntries(node.entries!, value);
    default:
      return false;
  }
}

function hasEntries(
  entries: Readonly<Record<string, Node>>,
  value: Readonly<Record<string, unknown>>,
): boolean {
  for (const key in entries) {
    const entry = entries[key]!;
    const item = value[key];
    if (item === undefined) {
      if (entry.type === 'exact_optional' && !(key in value)) continue;
      if (entry.type !== 'optional') return false;
    }
    if (!test(entry, item)) return false;
  }
  return true;
}

function isOption({ options }: Node, value: unknown): boolean {
  for (const option of options as readonly Node[]) if (test(option, value)) return true;
  return false;
}

/** The telling entry first, since most options fail there. */
function isVariant(node: Node, value: Readonly<Record<string, unknown>>): boolean {
  const key = node.key as string;
  for (const option of node.options as readonly Node[]) {
    const tells = option.entries?.[key];
    if (tells && test(tells, value[key]) && test(option, value)) return true;
  }
  return false;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function acts({ type, requirement }: Node, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'safe_integer':
      return Number.isSafeInteger(value);
    case 'finite':
      return Number.isFinite(value);
    case 'min_value':
      return (value as number) >= (requirement as number);
    case 'min_length':
      return (value as string).length >= (requirement as number);
    case 'regex':
      return (requirement as RegExp).test(value as string);
    case 'check':
      return (requirement as (input: unknown) => boolean)(value);
    default:
      return false;
  }
}
