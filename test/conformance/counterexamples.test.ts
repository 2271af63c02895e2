import { readdirSync, readFileSync } from 'node:fs';
import { analyse, memoryHost } from '@flue/compiler/analysis';
import type { Agent } from '@flue/runtime';
import { renderAgent } from '@flue/runtime/testing';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { SHARED } from './agreement-tables.ts';
import { codesOf } from './support/enact.ts';
import { evaluate } from './support/evaluate.ts';
import { Choices, enumerate } from './support/outcomes.ts';

const FOLDER = new URL('./fixtures/counterexamples/', import.meta.url);
const HEAD = /^\/\/ (FLUE\d{4}) the compiler says (\w+); (\d+) of (\d+) renders fail\n/;

/**
 * Bodies about which the compiler is known to be wrong, small: the grammar of `verdicts.test.ts` leaves their shapes
 * out. A test that fails here because the compiler has learnt is the occasion to delete its file and widen the grammar.
 */
describe('a known disagreement stands as its file describes it (RULE-16)', () => {
  it.each(readdirSync(FOLDER))('%s', async (name) => {
    const text = readFileSync(new URL(name, FOLDER), 'utf8');
    const [, code = '', said, failing, all] = HEAD.exec(text) ?? [];
    const failures = await failuresOf(text, code);
    expect([failures.filter(Boolean).length, failures.length]).toEqual([Number(failing), Number(all)]);
    expect(verdictOf(text, code)).toBe(said);
  });
});

function verdictOf(text: string, code: string): string {
  const { diagnostics } = analyse(['src/a.ts'], memoryHost(ts, { 'src/a.ts': text, ...SHARED }));
  return diagnostics.find((diagnostic) => diagnostic.code === code)?.severity ?? 'nothing';
}

/** For every outcome of the conditions, whether the render fails under the code. */
async function failuresOf(text: string, code: string): Promise<boolean[]> {
  const choices = new Choices();
  const flags = { flag: () => choices.next(2) === 1, pick: () => 'abc'[choices.next(3)] };
  const modules = await evaluate({ 'src/a.ts': text, ...SHARED }, { packages: { flags } });
  const { Agent: agent } = modules.get('src/a.ts') as { Agent: Agent };
  const results = enumerate(choices, () => {
    try {
      const { model } = renderAgent(agent, { id: '1' });
      return code === 'FLUE2101' && model === undefined;
    } catch (error) {
      return codesOf(error).includes(code);
    }
  });
  return results ?? [];
}
