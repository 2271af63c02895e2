import type { ModelInfo } from '../../ports/model-gateway.ts';
import type { PromptUsage } from '../../ports/model-shapes.ts';

export const NO_USAGE: PromptUsage = Object.freeze({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }),
});

type Given = { readonly [K in keyof PromptUsage]?: K extends 'cost' ? Partial<PromptUsage['cost']> : number };

/**
 * A whole usage out of what a source reported (USAGE-01): absent, negative and non-finite numbers become 0, so sums never
 * hold `NaN` (USAGE-04). An absent total is the sum of its parts, an absent cost follows the rates (USAGE-03).
 */
export function completeUsage(given: Given, rates?: ModelInfo['cost']): PromptUsage {
  const input = count(given.input);
  const output = count(given.output);
  const cacheRead = count(given.cacheRead);
  const cacheWrite = count(given.cacheWrite);
  const priced = (tokens: number, kind: keyof ModelInfo['cost']) =>
    given.cost?.[kind] === undefined ? (tokens * count(rates?.[kind])) / 1_000_000 : count(given.cost[kind]);
  const cost = {
    input: priced(input, 'input'),
    output: priced(output, 'output'),
    cacheRead: priced(cacheRead, 'cacheRead'),
    cacheWrite: priced(cacheWrite, 'cacheWrite'),
  };
  const total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: count(given.totalTokens ?? input + output + cacheRead + cacheWrite),
    cost: { ...cost, total: count(given.cost?.total ?? total) },
  };
}

function count(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : 0;
}
