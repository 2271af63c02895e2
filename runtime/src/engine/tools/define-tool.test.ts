import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineTool } from './define-tool.ts';
import { ToolLegacyDefinitionError } from './errors.ts';

const good = { name: 'lookup_order', description: 'Look one order up.', run: () => null };
const define = (more: object) => () => defineTool({ ...good, ...more } as never);

describe('defineTool', () => {
  it('returns a frozen definition (TOOL-01)', () => {
    const tool = defineTool(good);
    expect(tool).toEqual(good);
    expect(Object.isFrozen(tool)).toBe(true);
  });

  it.each([
    ['a missing name', { name: undefined }, '"name" must be a non-empty string', 'FLUE3001'],
    ['a blank name', { name: ' ' }, '"name" must be a non-empty string', 'FLUE3001'],
    ['a name with a dot', { name: 'orders.get' }, '"name" must consist of letters', 'FLUE3003'],
    ['a name that is too long', { name: 'a'.repeat(129) }, '"name" must consist of letters', 'FLUE3003'],
    ['an empty description', { description: '' }, '"description" must be a non-empty string', 'FLUE3001'],
  ])('refuses %s (TOOL-02)', (_, more, message, rule) => {
    expect(define(more)).toThrow(message);
    expect(define(more)).toThrow(new RegExp(`^\\[flue\\] defineTool\\(\\): tool.*\\(${rule}\\)$`));
  });

  it('takes the widest name that providers accept (TOOL-02)', () => {
    expect(define({ name: `_-9${'a'.repeat(125)}` })).not.toThrow();
  });

  it.each([
    ['object', v.object({ a: v.string() })],
    ['strictObject', v.strictObject({ a: v.string() })],
    ['looseObject', v.looseObject({ a: v.string() })],
    ['objectWithRest', v.objectWithRest({ a: v.string() }, v.number())],
    [
      'a piped object',
      v.pipe(
        v.object({ a: v.string() }),
        v.check(() => true),
      ),
    ],
  ])('takes %s as input (TOOL-03)', (_, input) => {
    expect(define({ input })).not.toThrow();
  });

  it.each([
    ['a string', v.string()],
    ['a record', v.record(v.string(), v.string())],
    ['a union of objects', v.union([v.object({}), v.object({ a: v.string() })])],
  ])('refuses %s as input (TOOL-03)', (_, input) => {
    expect(define({ input })).toThrow(/"input" must be a top-level object schema.*\(FLUE3006\)$/);
  });

  it.each([
    ['input', v.objectAsync({ a: v.string() })],
    ['input', v.object({ a: v.pipeAsync(v.string()) as never })],
    ['input', { type: 'object', properties: {} }],
    ['output', v.pipeAsync(v.string())],
    ['output', v.array(v.object({ a: v.optionalAsync(v.string()) as never }))],
    ['output', 'string'],
  ])('refuses an %s that is no synchronous Valibot schema (TOOL-04)', (field, schema) => {
    expect(define({ [field]: schema })).toThrow(
      `"${field}" must be a synchronous Valibot schema. (FLUE3007)`,
    );
  });

  it.each(['harness', 'durable', 'parallel'])('refuses a %s flag that is no boolean (TOOL-05)', (flag) => {
    expect(define({ [flag]: 1 })).toThrow(`"${flag}" must be a boolean`);
    expect(define({ [flag]: false })).not.toThrow();
  });

  it('refuses a run that is no function (TOOL-05)', () => {
    expect(define({ run: 'later' })).toThrow('"run" must be a function');
  });

  it('refuses the fields of older tool shapes with a typed error (TOOL-06)', () => {
    const legacy = define({ parameters: {}, execute() {} });
    expect(legacy).toThrow(ToolLegacyDefinitionError);
    expect(legacy).toThrow(
      expect.objectContaining({
        type: 'tool_legacy_definition',
        meta: { fields: ['parameters', 'execute'], rule: 'FLUE3002' },
      }),
    );
  });

  it('refuses an unknown field, suggests the one that was meant and lists them all (TOOL-07)', () => {
    expect(define({ durrable: true })).toThrow(
      /"durrable" is not a field of a tool; did you mean "durable"\? It takes name, .* run\./,
    );
  });

  it('takes a spread of a definition with the fields given last (TOOL-09)', () => {
    const tool = defineTool({ ...defineTool(good), description: 'Another text.' });
    expect(tool.description).toBe('Another text.');
    expect(() => defineTool({ ...tool, run: undefined } as never)).toThrow('"run" must be a function');
  });

  it.each([0, -1, 1.5, '5', Number.POSITIVE_INFINITY])('refuses %j as timeoutMs (TOOL-14)', (timeoutMs) => {
    expect(define({ timeoutMs })).toThrow('"timeoutMs" must be a positive integer');
  });

  it.each([null, 'x', undefined])('refuses %j in place of a definition (TOOL-01)', (value) => {
    expect(() => defineTool(value as never)).toThrow(/^\[flue\] defineTool\(\) takes a tool definition/);
  });

  it('fails at definition when the schema has no JSON Schema (TOOL-10)', () => {
    const input = v.object({
      a: v.optional(v.string(), () => {
        throw new Error('no default now');
      }),
    });
    expect(define({ input })).toThrow('no default now');
  });
});
