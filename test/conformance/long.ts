/**
 * `npm run test:conformance:long -- [bodies] [seed...]`: the property of `verdicts.test.ts` over more bodies and other
 * seeds, 2,000 of each of three unless said otherwise. Prints the smallest body about which compiler and runtime differ.
 */
import { checkBodies } from './support/check-bodies.ts';

const [bodies = 2000, ...given] = process.argv.slice(2).map(Number);
const seeds = given.length > 0 ? given : [1, 2, 3];

if (![bodies, ...seeds].every(Number.isInteger) || bodies < 1) {
  console.error('Usage: npm run test:conformance:long -- [bodies] [seed...], all of them whole numbers.');
  process.exit(2);
}
for (const seed of seeds) {
  const found = await checkBodies(bodies, seed);
  console.log(
    `seed ${seed}: ${found.bodies} bodies, ${found.renders} renders, ${found.disagreement === undefined ? 'no disagreement' : 'a disagreement:'}`,
  );
  if (found.disagreement === undefined) continue;
  console.log(found.disagreement);
  process.exitCode = 1;
}
