import { describe, expect, it } from 'vitest';
import { analyseExample } from '../examples.test.kit.ts';
import rule from './rule.ts';

const agent = (body: string, more = '') =>
  `'use agent';\nimport { useInstruction, useModel, useTool } from '@flue/runtime';\n${more}\nexport function Agent(props) {\n  useModel('a/b');\n${body}\n}\n`;

function found(text: string): string[] {
  const analysis = analyseExample(rule, { 'src/a.ts': text });
  expect(analysis.failures).toEqual([]);
  return analysis.diagnostics.filter(({ code }) => code === rule.code).map(({ message }) => message);
}

describe('FLUE5006 analysis-limited', () => {
  it('a generated body of 30,000 branches is given up, and said so once (RULE-29)', () => {
    const body = Array.from({ length: 30_000 }, (_, i) => `  if (props.n${i}) useInstruction('x');`).join(
      '\n',
    );
    expect(found(agent(body))).toEqual(['Agent is too complex to check fully (it reaches too many hooks).']);
  }, 60_000);

  it('a chain of 80 custom hooks is cut in one place', () => {
    const chain = Array.from({ length: 80 }, (_, i) => `function useStep${i}() { useStep${i + 1}(); }`).join(
      '\n',
    );
    const messages = found(agent('  useStep0();', `${chain}\nfunction useStep80() { useInstruction('x'); }`));
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(/deeper than 64/);
  });

  it('40 conditions around 10 hooks are followed to the end (PERF-16)', () => {
    const body = Array.from({ length: 40 }, (_, i) => `  if (props.n${i}) useInstruction('${i % 10}');`).join(
      '\n',
    );
    expect(found(agent(body))).toEqual([]);
  });

  it('mutual recursion between two custom hooks ends (RULE-27)', () => {
    const hooks =
      'function useA(n) { useInstruction("a"); if (n) useB(n - 1); }\nfunction useB(n) { if (n) useA(n - 1); }';
    expect(found(agent('  useA(3);', hooks))).toEqual([]);
  });
});
