import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

/** JSON Schema of what a schema gives, as it reads after the wire: a `Date` is its text there (TCLI-08). */
export function outputJsonSchema(schema: v.GenericSchema): Record<string, unknown> {
  return {
    ...toJsonSchema(schema, {
      typeMode: 'output',
      errorMode: 'ignore',
      target: 'draft-2020-12',
      overrideSchema: ({ valibotSchema, jsonSchema }) =>
        valibotSchema.type === 'date' ? { type: 'string' } : jsonSchema,
    }),
  };
}
