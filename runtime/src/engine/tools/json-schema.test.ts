import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineTool } from './define-tool.ts';
import { modelTool, toolInputJsonSchema } from './json-schema.ts';

describe('modelTool', () => {
  it('is name, description and the JSON Schema of the input (TCALL-01)', () => {
    const tool = defineTool({
      name: 'lookup_order',
      description: 'Look one order up.',
      input: v.object({ orderId: v.string() }),
      run: () => null,
    });
    expect(modelTool(tool)).toEqual({
      name: 'lookup_order',
      description: 'Look one order up.',
      parameters: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
    });
  });

  it('presents an empty object schema without input (TCALL-01)', () => {
    const tool = defineTool({ name: 'ping', description: 'd', run: () => null });
    expect(modelTool(tool).parameters).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: false,
    });
  });
});

describe('toolInputJsonSchema', () => {
  it('carries title and description over (TOOL-10)', () => {
    const id = v.pipe(v.string(), v.title('Order id'), v.description('As printed on the receipt.'));
    expect(toolInputJsonSchema(v.object({ id })).properties).toEqual({
      id: { type: 'string', title: 'Order id', description: 'As printed on the receipt.' },
    });
  });

  it('keeps the part that JSON Schema can express and leaves the rest to Valibot (TOOL-10, AN-17)', () => {
    const input = v.pipe(
      v.object({
        email: v.pipe(v.string(), v.trim(), v.email()),
        at: v.pipe(
          v.string(),
          v.isoTimestamp(),
          v.transform((text) => new Date(text)),
        ),
        odd: v.custom<string>((value) => typeof value === 'string'),
      }),
      v.check(({ email }) => email !== ''),
    );
    expect(toolInputJsonSchema(input)).toEqual({
      type: 'object',
      properties: {
        email: { type: 'string', format: 'email' },
        at: { type: 'string', format: 'date-time' },
        odd: {},
      },
      required: ['email', 'at', 'odd'],
    });
  });

  it('is of the input side, before any transform of the schema (TOOL-10)', () => {
    const n = v.pipe(v.string(), v.transform(Number), v.number(), v.minValue(1));
    expect(toolInputJsonSchema(v.object({ n })).properties).toEqual({ n: { type: 'string' } });
  });

  it('keeps an absent field absent: optional is not nullable (PC-032)', () => {
    const input = v.object({ a: v.object({ b: v.optional(v.string()) }) });
    expect(toolInputJsonSchema(input)).toEqual({
      type: 'object',
      properties: { a: { type: 'object', properties: { b: { type: 'string' } }, required: [] } },
      required: ['a'],
    });
    expect(v.is(input, { a: {} })).toBe(true);
    expect(v.is(input, { a: { b: null } })).toBe(false);
  });

  it('writes the body of an optional or nullable object once (PC-033)', () => {
    const body = v.object({ street: v.string() });
    const shown = { type: 'object', properties: { street: { type: 'string' } }, required: ['street'] };
    expect(toolInputJsonSchema(v.object({ a: v.optional(body), b: v.nullish(body) })).properties).toEqual({
      a: shown,
      b: { anyOf: [shown, { type: 'null' }] },
    });
  });

  it('shows a fixed default, never a computed one or one that is not JSON', () => {
    const input = v.object({
      fixed: v.optional(v.number(), 3),
      computed: v.optional(v.string(), () => String(Math.random())),
      date: v.optional(v.union([v.string(), v.date()]), new Date(0)),
    });
    expect(toolInputJsonSchema(input).properties).toEqual({
      fixed: { type: 'number', default: 3 },
      computed: { type: 'string' },
      date: { anyOf: [{ type: 'string' }] },
    });
  });

  it('writes tuples and recursion in the form of the current draft, without $schema', () => {
    const node: v.GenericSchema = v.object({ children: v.array(v.lazy(() => node)) });
    const schema = toolInputJsonSchema(
      v.object({ pair: v.strictTuple([v.string(), v.number()]), tree: node }),
    );
    expect(schema).not.toHaveProperty('$schema');
    expect(schema.properties).toMatchObject({
      pair: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 2 },
      tree: { properties: { children: { items: { $ref: '#/$defs/0' } } } },
    });
    expect(schema.$defs).toBeDefined();
  });

  it('converts a schema once, however many tools use it (TOOL-10)', () => {
    const input = v.object({ a: v.string() });
    expect(toolInputJsonSchema(input)).toBe(toolInputJsonSchema(input));
  });
});
