import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { isSyncSchema } from './schema.ts';

describe('isSyncSchema', () => {
  const part = v.pipeAsync(v.string()) as never;

  it.each([
    ['an item', v.array(part)],
    ['an entry', v.object({ a: part })],
    ['an option', v.union([v.number(), part])],
    ['a wrapped schema', v.optional(part)],
    ['a key', v.record(part, v.number())],
    ['a rest', v.tupleWithRest([v.number()], part)],
    ['a pipe item', v.pipe(v.string(), v.checkAsync(async () => true) as never)],
    ['a part deep inside', v.object({ a: v.array(v.nullable(v.object({ b: part }))) })],
  ])('finds %s that is asynchronous (TOOL-04)', (_, schema) => {
    expect(isSyncSchema(schema)).toBe(false);
    expect(isSyncSchema(schema)).toBe(false); // and again, from what it remembers
  });

  it('takes schemas that refer to themselves (TOOL-04)', () => {
    const node: v.GenericSchema = v.object({ next: v.optional(v.lazy(() => node)) });
    expect(isSyncSchema(node)).toBe(true);
  });

  it.each([[null], [undefined], ['string'], [{ kind: 'schema' }], [{ type: 'object' }], [v.trim()]])(
    'does not take %o for a schema (TOOL-04)',
    (value) => {
      expect(isSyncSchema(value)).toBe(false);
    },
  );
});
