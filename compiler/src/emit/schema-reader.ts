import type { ManifestSchemaSlot } from '@flue/runtime/internal';
import type ts from 'typescript';
import type * as v from 'valibot';
import type { Span } from '../analysis/diagnostic.ts';
import { nodeAt } from '../analysis/node-at.ts';
import { createEvaluator } from './evaluate/evaluator.ts';
import { NotStatic } from './evaluate/not-static.ts';
import type { TreeHost } from './evaluate/resolve-name.ts';
import { manifestSpan } from './manifest-span.ts';
import type { SchemaLibrary } from './schema-library.ts';

export interface SchemaReader {
  /** JSON Schema of the schema expression at a place, through the runtime's own conversion (EVALS-02). */
  slot(span: Span): ManifestSchemaSlot;
  /** whether the schema there takes `undefined`; `null` when that depends on code (MAN-02) */
  acceptsUndefined(span: Span): boolean | null;
}

export function createSchemaReader(host: TreeHost, { valibot, toJsonSchema }: SchemaLibrary): SchemaReader {
  let callbackRan = false;
  const evaluator = createEvaluator(host, { ...valibot }, () => {
    callbackRan = true;
  });

  const schemaAt = (span: Span): v.GenericSchema => {
    const file = host.tree(span.path);
    const node = file && nodeAt(host.ts, file, span);
    if (node === undefined) throw new NotStatic('not-literal');
    const value = evaluator.evaluate(node as ts.Expression, span.path);
    if (isSchema(value)) return value;
    throw new NotStatic('foreign-schema');
  };

  return {
    slot(span) {
      try {
        return { schema: toJsonSchema(schemaAt(span)) };
      } catch (error) {
        return { dynamic: true, reason: reasonOf(error), span: manifestSpan(span) };
      }
    },
    acceptsUndefined(span) {
      try {
        const schema = schemaAt(span);
        callbackRan = false;
        const accepts = valibot.safeParse(schema, undefined).success;
        return callbackRan ? null : accepts;
      } catch {
        return null;
      }
    },
  };
}

function isSchema(value: unknown): value is v.GenericSchema {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'schema';
}

function reasonOf(error: unknown): NotStatic['reason'] {
  if (error instanceof NotStatic) return error.reason;
  // A `lazy` that makes a new schema each time it is asked has no end.
  return error instanceof RangeError ? 'recursive' : 'opaque-call';
}
