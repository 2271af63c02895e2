import { expect, it } from 'vitest';
import { completeUsage, NO_USAGE } from './usage.ts';

it('what a source leaves out, or reports as no number, counts as 0 (USAGE-01)', () => {
  expect(completeUsage({})).toEqual(NO_USAGE);
  expect(
    completeUsage({
      input: Number.NaN,
      output: -4,
      cacheRead: Number.POSITIVE_INFINITY,
      cost: { total: Number.NaN },
    }),
  ).toEqual(NO_USAGE);
});

it('costs follow the rates per million tokens; a reported cost or total replaces its estimate (USAGE-03)', () => {
  const rates = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 0 };
  expect(completeUsage({ input: 1_000_000, output: 100_000, cacheRead: 1_000_000 }, rates).cost).toEqual({
    input: 3,
    output: 1.5,
    cacheRead: 0.3,
    cacheWrite: 0,
    total: 4.8,
  });
  expect(completeUsage({ input: 1_000_000, cost: { input: 9, total: 1 } }, rates).cost).toMatchObject({
    input: 9,
    total: 1,
  });
});
