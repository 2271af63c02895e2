import { rules } from '@flue/compiler/analysis';
import type { Agent } from '@flue/runtime';
import { type RenderAgentOptions, renderAgent } from '@flue/runtime/testing';
import { describe, expect, it } from 'vitest';
import { SHARED } from './agreement-tables.ts';
import { evaluate } from './support/evaluate.ts';
import { type Example, examplesOf } from './support/examples.ts';

/** Two renders of one instance, as far apart as the examples look at it. */
const RENDERS: readonly RenderAgentOptions[] = [
  { id: '1', delivery: 'hello', state: { m: 'a', on: false } },
  { id: '1', delivery: { kind: 'signal', type: 'tick', body: 'x' }, state: { m: 'a', on: true } },
  { id: '1', delivery: 'hello', state: { m: 'b', on: true } },
];

describe('FLUE2202 hook-order-unstable, rendered both ways', () => {
  for (const example of rules.filter(({ code }) => code === 'FLUE2202').flatMap(examplesOf)) {
    it(`${example.title} ${example.isBad ? 'swaps' : 'keeps'} the order of what it declares (RULE-16)`, async () => {
      const orders = await ordersOf(example);
      expect(orders.some((one) => orders.some((other) => swaps(one, other)))).toBe(example.isBad);
    });
  }
});

async function ordersOf({ files }: Example): Promise<string[][]> {
  const modules = await evaluate({ ...files, ...SHARED }, { packages: {} });
  const { Agent: agent } = modules.get(Object.keys(files)[0] ?? '') ?? {};
  return RENDERS.map((options) => {
    const { tools, instructions = '' } = renderAgent(agent as Agent, options);
    return [...tools.map(({ name }) => name), ...instructions.split('\n\n')];
  });
}

/** Whether two names stand in one order here and in the other there. */
function swaps(one: readonly string[], other: readonly string[]): boolean {
  const common = one.filter((name) => other.includes(name));
  return common.join() !== other.filter((name) => common.includes(name)).join();
}
