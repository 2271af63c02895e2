import { describe, expect, it } from 'vitest';
import { checkBodies } from './support/check-bodies.ts';

/** The long form is `npm run test:conformance:long`. */
const BODIES = 200;
const SEED = 20_304;

describe('the compiler and the runtime agree', () => {
  it('about every generated body: FLUE2101, FLUE2102, FLUE2104, FLUE2105 (RULE-16, RULE-23, RULE-24, RULE-25)', async () => {
    const { bodies, disagreement } = await checkBodies(BODIES, SEED);
    expect(disagreement).toBeUndefined();
    expect(bodies).toBe(BODIES);
  }, 300_000);
});
