import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { matches } from './matches.ts';

const tree: v.GenericSchema = v.object({ of: v.array(v.lazy(() => tree)) });

const SCHEMAS: Readonly<Record<string, v.GenericSchema>> = {
  string: v.string(),
  number: v.number(),
  boolean: v.boolean(),
  literal: v.literal(true),
  picklist: v.picklist(['a', 'b']),
  count: v.pipe(v.number(), v.integer(), v.minValue(1)),
  pattern: v.pipe(v.string(), v.regex(/^a+$/)),
  optional: v.object({ a: v.optional(v.string()) }),
  nullable: v.nullable(v.string()),
  union: v.union([v.object({ a: v.number() }), v.string()]),
  array: v.array(v.string()),
  record: v.record(v.string(), v.unknown()),
  numbers: v.record(v.string(), v.number()),
  any: v.object({ a: v.unknown() }),
  fallback: v.object({ a: v.optional(v.string(), 'a') }),
  tree,
  maybe: v.object({ a: v.exactOptional(v.string()) }),
  never: v.object({ a: v.exactOptional(v.never()) }),
  custom: v.custom((value) => value === 'a'),
  pair: v.tuple([v.string(), v.number()]),
  variant: v.variant('kind', [
    v.object({ kind: v.literal('n'), a: v.number() }),
    v.pipe(
      v.object({ kind: v.literal('s'), a: v.string() }),
      v.check(({ a }) => a !== ''),
    ),
  ]),
  place: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  amount: v.pipe(v.number(), v.finite()),
  name: v.pipe(v.string(), v.minLength(2)),
};

const VALUES: readonly unknown[] = [
  ...[undefined, null, true, false, 0, 1, 1.5, Number.NaN, '', 'a', 'aa', 'b'],
  ...[[], ['a'], [1], {}, { a: 'a' }, { a: 1 }, { a: null }, { a: undefined }, { b: 1 }],
  ...[{ of: [] }, { of: [{ of: [] }] }, { of: [{}] }],
  ...[['a', 1], ['a', 1, 2], [1, 'a'], 2 ** 53, Number.POSITIVE_INFINITY],
  ...[{ kind: 'n', a: 1 }, { kind: 'n', a: 'a' }, { kind: 's', a: 'a' }, { kind: 's', a: '' }, { kind: 'x' }],
];

describe('a value', () => {
  it.each(Object.entries(SCHEMAS))(
    'matches %s only where the schema takes it (LOAD-02, LOAD-06)',
    (_, schema) => {
      const matching = VALUES.filter((value) => matches(schema, value));
      // Nothing has to be filled in: all that the schema gives is there.
      expect(matching).toMatchObject(matching.map((value) => v.safeParse(schema, value).output));
      expect(matching.filter((value) => !v.safeParse(schema, value).success)).toEqual([]);
      expect(matching.length).toBeGreaterThan(0);
      expect(matching.length).toBeLessThan(VALUES.length);
    },
  );

  it('matches no schema of another kind, which then has to be asked itself', () => {
    expect(matches(v.pipe(v.string(), v.trim()), 'a')).toBe(false);
    expect(matches(v.date(), new Date(0))).toBe(false);
    const named = v.record(v.pipe(v.string(), v.regex(/^a/)), v.unknown());
    expect(matches(named, { b: 1 })).toBe(false);
    expect(matches(named, { a: 1 })).toBe(false);
  });
});
