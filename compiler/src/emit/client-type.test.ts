import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { outputJsonSchema } from './client-output-schema.ts';
import { printType } from './client-type.ts';

const json = (schema: v.GenericSchema) =>
  toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore', target: 'draft-2020-12' });
const input = (schema: v.GenericSchema) => printType(json(schema), (ref) => ref).replace(/\s+/g, ' ');
const output = (schema: v.GenericSchema) =>
  printType(outputJsonSchema(schema), (ref) => ref).replace(/\s+/g, ' ');

describe('the type of a schema', () => {
  it.each<[v.GenericSchema, string]>([
    [v.string(), 'string'],
    [v.pipe(v.number(), v.integer()), 'number'],
    [v.boolean(), 'boolean'],
    [v.null_(), 'null'],
    [v.any(), 'unknown'],
    [v.never(), 'never'],
    [v.literal('a "b"'), '"a \\"b\\""'],
    [v.picklist(['a', 'b']), '"a" | "b"'],
    [v.nullable(v.string()), 'string | null'],
    [v.array(v.nullable(v.string())), '(string | null)[]'],
    [v.array(v.array(v.number())), 'number[][]'],
    [v.array(v.object({ a: v.string() })), '({ a: string; })[]'],
    [v.tuple([v.string(), v.number()]), '[string, number]'],
    [v.tupleWithRest([v.string()], v.union([v.number(), v.boolean()])), '[string, ...(number | boolean)[]]'],
    [v.object({ a: v.string(), b: v.optional(v.number()) }), '{ a: string; b?: number; }'],
    [v.object({ a: v.optional(v.number(), 1) }), '{ a?: number; }'],
    [v.object({}), '{}'],
    [v.object({ 'a-b': v.string() }), '{ "a-b": string; }'],
    [v.record(v.string(), v.number()), '{ [key: string]: number }'],
    [v.objectWithRest({ a: v.string() }, v.string()), '{ a: string; } & { [key: string]: string }'],
    [v.variant('t', [v.object({ t: v.literal(1) }), v.object({ t: v.literal(2) })]), '{ t: 1; } | { t: 2; }'],
    [
      v.intersect([v.object({ a: v.string() }), v.union([v.object({ b: v.string() }), v.object({})])]),
      '({ a: string; }) & ({ b: string; } | {})',
    ],
    [v.union([v.string(), v.unknown()]), 'unknown'],
  ])('%#: its JSON form as a caller sends it (TCLI-06)', (schema, type) => {
    expect(input(schema)).toBe(type);
  });

  it.each<[v.GenericSchema, string]>([
    [v.object({ a: v.optional(v.number(), 1) }), '{ a: number; }'],
    [v.object({ at: v.date() }), '{ at: string; }'],
    [v.pipe(v.string(), v.transform(Number)), 'unknown'],
  ])('%#: its JSON form as a reader gets it (TCLI-08)', (schema, type) => {
    expect(output(schema)).toBe(type);
  });
});
