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

/** Validators of author code, of whose values a schema says nothing. */
const OPAQUE = 'custom';

interface SchemaNode {
  readonly type: string;
  readonly entries?: Readonly<Record<string, SchemaNode>>;
  readonly items?: readonly SchemaNode[];
  readonly item?: SchemaNode;
  readonly rest?: SchemaNode | null;
  readonly value?: SchemaNode;
  readonly wrapped?: SchemaNode;
  readonly options?: readonly (SchemaNode | string | number)[];
  readonly getter?: (input: unknown) => SchemaNode;
}

/**
 * Where a schema asks for what no JSON value can be, such as `.at` for a date, so that no model can supply it (RES-02);
 * `''` for the schema itself, `undefined` when it can be converted. A union needs one member that can.
 */
export function pathWithoutJsonForm(schema: v.GenericSchema): string | undefined {
  return findWithoutJsonForm(schema as unknown as SchemaNode, '', new Set());
}

function findWithoutJsonForm(node: SchemaNode, path: string, seen: Set<SchemaNode>): string | undefined {
  if (NO_JSON_FORM.has(node.type) || node.type === OPAQUE) return path;
  if (seen.has(node)) return undefined;
  seen.add(node);
  const look = (part: SchemaNode, at: string) => findWithoutJsonForm(part, at, seen);
  if (node.type === 'union') {
    const found = membersOf(node).map((member) => look(member, path));
    return found.includes(undefined) ? undefined : found[0];
  }
  for (const [part, at] of partsOf(node)) {
    const found = look(part, `${path}${at}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a value of the schema is made of, each with where it stands in it. */
function partsOf(node: SchemaNode): (readonly [part: SchemaNode, at: string])[] {
  const { entries = {}, items = [], item, rest, value, wrapped, getter } = node;
  return [
    ...Object.entries(entries).map(([key, part]) => [part, `.${key}`] as const),
    ...items.map((part, index) => [part, `[${index}]`] as const),
    ...[item, rest, value].flatMap((part) => (part ? [[part, '[]'] as const] : [])),
    ...[wrapped, ...(node.type === 'lazy' ? [getter?.(undefined)] : []), ...membersOf(node)].flatMap(
      (part) => (part ? [[part, ''] as const] : []),
    ),
  ];
}

/** Those of a `picklist` or an `enum` are values. */
function membersOf({ options }: SchemaNode): SchemaNode[] {
  return (options ?? []).filter((member): member is SchemaNode => typeof member === 'object');
}
