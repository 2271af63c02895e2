import type { Module, Range } from '../program.ts';
import type { Evaluator } from './evaluate.ts';
import { fieldsOf } from './fields.ts';
import { schemaOf } from './schema.ts';
import type { Term } from './term.ts';

export const NO_JSON = new Set(
  'bigint blob date file function instance map nan promise set symbol undefined void'.split(' '),
);
export const OBJECTS = new Set(['object', 'strictObject', 'looseObject', 'objectWithRest']);
export const TUPLES = new Set(['tuple', 'strictTuple', 'looseTuple', 'tupleWithRest']);
/** Schemas that accept absence, so that a sender can leave the part out. */
export const OPTIONAL = new Set(['optional', 'exactOptional', 'nullish', 'undefinedable', 'nullable']);
export const WRAPPERS = new Set(['nonOptional', 'nonNullable', 'nonNullish']);

export interface SchemaPart {
  readonly module: Module;
  readonly range: Range;
  /** `a.b[]`, empty for the schema itself */
  readonly path: string;
  readonly type: string;
}

/** Required parts of a schema's input side that no JSON value can satisfy. What is not in sight counts as fine. */
export function partsWithoutJson(evaluator: Evaluator, term: Term, path = '', depth = 0): SchemaPart[] {
  const schema = schemaOf(evaluator, term);
  if (!schema || depth > 16) return [];
  const { type, call } = schema;
  if (NO_JSON.has(type)) return [{ module: call.module, range: call.call, path, type }];
  const args = evaluator.argumentsOf(call.module, call.call, call.env);
  const within = (part: Term | undefined, at: string) =>
    part ? partsWithoutJson(evaluator, part, at, depth + 1) : [];
  if (OBJECTS.has(type)) {
    if (args[0]?.t !== 'object') return [];
    return [...fieldsOf(evaluator, args[0]).byName.values()].flatMap((field) =>
      within(field.term, path === '' ? field.key : `${path}.${field.key}`),
    );
  }
  if (TUPLES.has(type))
    return args[0]?.t === 'array'
      ? args[0].items.flatMap((item, index) => within(item, `${path}[${index}]`))
      : [];
  if (OPTIONAL.has(type)) return [];
  if (WRAPPERS.has(type)) return within(args[0], path);
  if (type === 'array') return within(args[0], `${path}[]`);
  if (type === 'record') return within(args[1], `${path}[key]`);
  if (type === 'union' || type === 'variant') {
    const members = type === 'union' ? args[0] : args[1];
    if (members?.t !== 'array' || members.open || members.items.length === 0) return [];
    const found = members.items.map((member) => within(member, path));
    return found.every((parts) => parts.length > 0) ? found[0]! : [];
  }
  if (type === 'intersect')
    return args[0]?.t === 'array' ? args[0].items.flatMap((item) => within(item, path)) : [];
  return [];
}

/** The schemas, of this one and of the fields of objects in it, that are made where nobody sees it. */
export function schemasOutOfSight(
  evaluator: Evaluator,
  at: { readonly module: Module; readonly value: Range; readonly term: Term },
  path = '',
  depth = 0,
): (Pick<SchemaPart, 'module' | 'range' | 'path'> & { readonly term: Term })[] {
  const schema = schemaOf(evaluator, at.term);
  if (!schema) return [{ module: at.module, range: at.value, path, term: at.term }];
  if (!OBJECTS.has(schema.type) || depth > 16) return [];
  const [entries] = evaluator.argumentsOf(schema.call.module, schema.call.call, schema.call.env);
  if (entries?.t !== 'object') return [];
  return [...fieldsOf(evaluator, entries).byName.values()].flatMap((field) =>
    schemasOutOfSight(evaluator, field, path === '' ? field.key : `${path}.${field.key}`, depth + 1),
  );
}
