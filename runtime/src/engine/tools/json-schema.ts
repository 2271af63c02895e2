import { type ConversionConfig, type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import type { ModelTool } from '../../ports/model-gateway.ts';
import type { JsonValue } from '../../ports/model-shapes.ts';
import { equalJson, snapshotJson } from '../json-value.ts';
import type { MountedTool, ToolInputSchema } from './tool-definition.ts';

export type ToolParameters = ModelTool['parameters'];

/** What a tool without `input` presents (TCALL-01). */
const NO_PARAMETERS: ToolParameters = Object.freeze({
  type: 'object',
  properties: {},
  additionalProperties: false,
});

const converted = new WeakMap<object, ToolParameters>();

/**
 * The JSON Schema of the arguments that a schema takes (TOOL-10). What JSON Schema cannot express, such as a `check`,
 * is left out: Valibot still enforces it. Converted once per schema object.
 */
export function toolInputJsonSchema(schema: v.GenericSchema): ToolParameters {
  let parameters = converted.get(schema);
  if (!parameters) {
    const { $schema: _, ...rest } = toJsonSchema(schema, CONVERSION);
    parameters = rest as ToolParameters;
    converted.set(schema, parameters);
  }
  return parameters;
}

/** How the model sees a tool. */
export function modelTool(tool: MountedTool): ModelTool {
  return { name: tool.name, description: tool.description, parameters: parametersOf(tool) };
}

export function parametersOf({
  input,
  jsonSchema,
}: Pick<MountedTool, 'input' | 'jsonSchema'>): ToolParameters {
  return jsonSchema ?? toolParameters(input);
}

export function toolParameters(input: ToolInputSchema | undefined): ToolParameters {
  return input ? toolInputJsonSchema(input) : NO_PARAMETERS;
}

const CONVERSION: ConversionConfig = {
  typeMode: 'input',
  errorMode: 'ignore',
  target: 'draft-2020-12', // what providers check against; the older draft writes tuples in a form they refuse
  overrideSchema: ({ valibotSchema, jsonSchema }) =>
    withoutEmptyMembers(valibotSchema, withoutComputedDefault(valibotSchema, jsonSchema)),
};

/**
 * A default that a function makes differs from call to call, and one that is no JSON value cannot be sent; the schema
 * that the model reads names neither.
 */
function withoutComputedDefault(schema: object, json: JsonSchema): JsonSchema {
  if (!('default' in json) || !('default' in schema) || isJsonDefault(schema.default)) return json;
  const { default: _, ...rest } = json;
  return rest;
}

function isJsonDefault(value: unknown): boolean {
  try {
    return equalJson(snapshotJson(value, 'default'), value as JsonValue);
  } catch {
    return false;
  }
}

/** Input types that no JSON value satisfies. */
const NO_JSON_FORM = new Set(
  'bigint blob date file function instance map nan promise set symbol undefined void'.split(' '),
);

/** A union member without a JSON form would read as "anything"; the model gets the members that it can supply. */
function withoutEmptyMembers(
  schema: { readonly type: string; readonly options?: unknown },
  json: JsonSchema,
): JsonSchema {
  if (schema.type !== 'union' || !json.anyOf || !Array.isArray(schema.options)) return json;
  const options: readonly { readonly type: string }[] = schema.options;
  const anyOf = json.anyOf.filter((_, index) => !NO_JSON_FORM.has(options[index]?.type ?? ''));
  return anyOf.length > 0 && anyOf.length < json.anyOf.length ? { ...json, anyOf } : json;
}
