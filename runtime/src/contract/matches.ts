import type * as v from 'valibot';

/** Schemas and actions as the walk below sees them: Valibot's own objects. */
interface Node {
  readonly kind: 'schema' | 'validation' | 'transformation' | 'metadata';
  readonly type: string;
  readonly entries?: Readonly<Record<string, Node>>;
  readonly item?: Node;
  readonly key?: Node;
  readonly value?: Node;
  readonly wrapped?: Node;
  readonly default?: unknown;
  readonly options?: readonly unknown[];
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
    case 'nullable':
      return value === null || test(node.wrapped!, value);
    case 'union':
      return (node.options as readonly Node[]).some((option) => test(option, value));
    case 'lazy':
      return test(node.getter!(value), value);
    case 'array': {
      if (!Array.isArray(value)) return false;
      const item = node.item!;
      for (let i = 0; i < value.length; i++) if (!test(item, value[i])) return false;
      return true;
    }
    case 'record': {
      // A key is any string, or the schema has to be asked.
      if (!isObject(value) || node.key!.type !== 'string' || node.key!.pipe) return false;
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
    if (item === undefined && entry.type !== 'optional') return false;
    if (!test(entry, item)) return false;
  }
  return true;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function acts({ type, requirement }: Node, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'min_value':
      return (value as number) >= (requirement as number);
    case 'regex':
      return (requirement as RegExp).test(value as string);
    default:
      return false;
  }
}
