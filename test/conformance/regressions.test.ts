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

const FOLDER = new URL('./fixtures/regressions/', import.meta.url);
const HEAD = /^\/\/ (FLUE\d{4}): (\d+) of (\d+) renders fail\n/;

/**
 * Bodies about which the compiler was wrong once, small. The first line of each says what the runtime does; the compiler
 * has to say the same: an error where every render fails, a warning where some do, nothing where none does.
 */
describe('a body that was judged wrongly once', () => {
  it.each(readdirSync(FOLDER))('%s is judged as it renders (RULE-15, RULE-16)', async (name) => {
    const text = readFileSync(new URL(name, FOLDER), 'utf8');
    const [, code = '', failing, all] = HEAD.exec(text) ?? [];
    const failures = await failuresOf(text, code);
    const failed = failures.filter(Boolean).length;
    expect([failed, failures.length]).toEqual([Number(failing), Number(all)]);
    const expected = failed === 0 ? 'nothing' : failed === failures.length ? 'error' : 'warning';
    expect(verdictOf(text, code)).toBe(expected);
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
