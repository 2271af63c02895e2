import fc from 'fast-check';
import { agentSource } from './agent-grammar.ts';
import { textOf } from './agent-text.ts';
import { disagreementOf } from './disagreement.ts';
import { outcomesOf } from './outcomes.ts';

export interface Agreement {
  /** generated bodies on which both were asked; wider ones than can be enumerated are left out */
  readonly bodies: number;
  readonly renders: number;
  /** the smallest body found on which they differ, with what differs and its text */
  readonly disagreement: string | undefined;
}

/** Compares the compiler's verdict on generated bodies with what their renders do, over all outcomes of all tests. */
export async function checkBodies(bodies: number, seed: number): Promise<Agreement> {
  let renders = 0;
  const property = fc.asyncProperty(agentSource, async (source) => {
    const text = textOf(source);
    const outcomes = await outcomesOf(text);
    fc.pre(outcomes !== undefined);
    renders += outcomes.length;
    const disagreement = disagreementOf(text, outcomes);
    if (disagreement !== undefined) throw new Error(disagreement);
  });
  const { numRuns, failed, errorInstance, interrupted } = await fc.check(property, {
    numRuns: bodies,
    seed,
    maxSkipsPerRun: 20,
  });
  const found = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  const why = interrupted || errorInstance === null ? 'too many bodies were too wide to enumerate' : found;
  return { bodies: numRuns, renders, disagreement: failed ? why : undefined };
}
