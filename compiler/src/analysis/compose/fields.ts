import type { Module, Range, Value } from '../program.ts';
import type { Json } from '../summary.ts';
import type { Evaluator } from './evaluate.ts';
import type { Term } from './term.ts';

export type ObjectTerm = Term & { readonly t: 'object' };

/** One field of a literal: where it is written, and what it is. */
export interface Field {
  readonly module: Module;
  readonly key: string;
  readonly keyRange: Range;
  readonly value: Value;
  readonly term: Term;
  readonly owner: ObjectTerm;
}

export interface Fields {
  /** fields in force by name, through spreads of known objects */
  readonly byName: ReadonlyMap<string, Field>;
  /** false when a spread or a computed key may add or replace fields */
  readonly closed: boolean;
}

/** Read often, by many rules: kept per project and literal, where nothing around the literal matters. */
const memo = new WeakMap<Evaluator, WeakMap<Value, Fields>>();

export function fieldsOf(evaluator: Evaluator, object: ObjectTerm): Fields {
  if (object.env.size > 0) return collectFields(evaluator, object);
  const known = memo.get(evaluator) ?? new WeakMap<Value, Fields>();
  memo.set(evaluator, known);
  const fields = known.get(object.value) ?? collectFields(evaluator, object);
  known.set(object.value, fields);
  return fields;
}

function collectFields(evaluator: Evaluator, object: ObjectTerm): Fields {
  const byName = new Map<string, Field>();
  let closed = true;
  const visit = (owner: ObjectTerm, depth: number): void => {
    const { module, value, env } = owner;
    for (const entry of value.entries) {
      if (entry.spread !== undefined) {
        const spread = evaluator.evaluate(module, entry.spread, env);
        if (spread.t === 'object' && depth < 8) visit(spread, depth + 1);
        else closed = false;
      } else if (entry.key === null) closed = false;
      else {
        const term = evaluator.evaluate(module, entry.value, env);
        byName.set(entry.key, {
          module,
          key: entry.key,
          keyRange: entry.keyRange,
          value: entry.value,
          term,
          owner,
        });
      }
    }
  };
  visit(object, 0);
  return { byName, closed };
}

/** A term as JSON, or undefined when any part of it is not static. */
export function toJson(evaluator: Evaluator, term: Term): Json | undefined {
  if (term.t === 'literal') return term.value;
  if (term.t === 'array') {
    if (term.open) return undefined;
    const items = term.items.map((item) => toJson(evaluator, item));
    return items.includes(undefined) ? undefined : (items as Json[]);
  }
  if (term.t !== 'object') return undefined;
  const { byName, closed } = fieldsOf(evaluator, term);
  if (!closed) return undefined;
  const json: Record<string, Json> = {};
  for (const [key, field] of byName) {
    const value = toJson(evaluator, field.term);
    if (value === undefined) return undefined;
    json[key] = value;
  }
  return json;
}
