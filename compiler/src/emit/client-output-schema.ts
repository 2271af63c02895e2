import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

/** JSON Schema of what a schema gives, as it reads after the wire: a `Date` is its text there (TCLI-08). */
export function outputJsonSchema(schema: v.GenericSchema): Record<string, unknown> {
  return {
    ...toJsonSchema(schema, {
      typeMode: 'output',
      errorMode: 'ignore',
      target: 'draft-2020-12',
      overrideSchema: ({ valibotSchema, jsonSchema }) =>
        valibotSchema.type === 'date' ? { type: 'string' } : withDefaults(valibotSchema, jsonSchema),
      overrideAction: ({ valibotAction, jsonSchema }) => (changesType(valibotAction) ? {} : jsonSchema),
    }),
  };
}

/** Transformations whose result is of the type that they were given; after any other, it may be anything. */
const SAME_TYPE = new Set([
  ...['brand', 'flavor', 'readonly', 'normalize', 'trim', 'trim_start', 'trim_end'],
  ...['to_lower_case', 'to_upper_case', 'to_min_value', 'to_max_value', 'filter_items', 'sort_items'],
]);

function changesType({ kind, type }: { readonly kind: string; readonly type: string }): boolean {
  return kind === 'transformation' && !SAME_TYPE.has(type);
}

/** A field with a default may be left out by who sends it and is there for who reads it. */
function withDefaults(schema: object, json: JsonSchema): JsonSchema {
  if (!('entries' in schema) || json.type !== 'object') return json;
  const given = Object.entries(schema.entries as Record<string, object>).flatMap(([name, entry]) =>
    'default' in entry && entry.default !== undefined && typeof entry.default !== 'function' ? [name] : [],
  );
  if (given.length === 0) return json;
  return { ...json, required: [...new Set([...(json.required ?? []), ...given])] };
}
