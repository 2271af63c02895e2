import { analyse, memoryHost, type TypeScript } from '@flue/compiler/analysis';
import { defineSkill, defineTool } from '@flue/runtime';
import ts from 'typescript';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';

/** Whether a rule of this family calls the definition wrong. */
function isRefusedByRules(call: string, family: RegExp): boolean {
  const text = `import { defineSkill, defineTool } from '@flue/runtime';\nimport * as v from 'valibot';\nexport const made = ${call};\n`;
  const { diagnostics, failures } = analyse(['src/a.ts'], memoryHost(ts as TypeScript, { 'src/a.ts': text }));
  expect(failures).toEqual([]);
  return diagnostics.some(({ code, severity }) => severity === 'error' && family.test(code));
}

function isRefusedByRuntime(call: string): boolean {
  const make = new Function('defineSkill', 'defineTool', 'v', `return ${call};`);
  try {
    make(defineSkill, defineTool, v);
    return false;
  } catch {
    return true;
  }
}

const long = (length: number) => JSON.stringify('x'.repeat(length));
const skill = (fields: string) =>
  `defineSkill({ name: 's', description: 'd', instructions: 'x', ${fields} })`;
const tool = (fields: string) => `defineTool({ name: 't', description: 'd', run() {}, ${fields} })`;

describe('a definition that is all literal', () => {
  it.each([
    skill(''),
    ...['a', 'a-1', 'A', 'a_b', '-a', 'a--b', '', ' a'].map((name) => skill(`name: ${JSON.stringify(name)}`)),
    ...[64, 65].map((length) => skill(`name: ${long(length)}`)),
    ...[1024, 1025].map((length) => skill(`description: ${long(length)}`)),
    skill(`description: ${JSON.stringify('🧾'.repeat(1024))}`),
    skill(`description: ${JSON.stringify(`${' '.repeat(9)}${'x'.repeat(1024)}`)}`),
    skill("description: ' '"),
    skill("instructions: ''"),
    skill("instructions: ' '"),
    skill('instructions: 1'),
    ...[500, 501].map((length) => skill(`compatibility: ${long(length)}`)),
    skill('license: 1'),
    skill("license: 'MIT'"),
    skill("allowedTools: ['a']"),
    skill("allowedTools: 'a b'"),
    skill("metadata: { a: 'b' }"),
    skill('metadata: { a: 1 }'),
    ...['a.md', 'a/b.md', '/a', 'a/', '../a', 'a/./b', 'a//b', 'a\\b', 'SKILL.md', ''].map((path) =>
      skill(`files: { ${JSON.stringify(path)}: 'x' }`),
    ),
    skill("file: { 'a.md': 'x' }"),
    "defineSkill({ description: 'd', instructions: 'x' })",
    "defineSkill({ name: 's', instructions: 'x' })",
    "defineSkill({ name: 's', description: 'd' })",
  ])('%s is judged alike by rules and runtime (RULE-18, SKILL-02)', (call) => {
    expect(isRefusedByRules(call, /^FLUE3201$/)).toBe(isRefusedByRuntime(call));
  });

  it.each([
    tool(''),
    ...['a', 'a_b-1', 'a b', 'a.b', '', 'ä'].map((name) => tool(`name: ${JSON.stringify(name)}`)),
    ...[128, 129].map((length) => tool(`name: ${long(length)}`)),
    tool("description: ' '"),
    tool('description: 1'),
    tool('harness: 1'),
    tool("parallel: 'no'"),
    ...[0, 1, -1, 1.5].map((ms) => tool(`timeoutMs: ${ms}`)),
    tool('run: 1'),
    tool('harnes: true'),
    tool('parameters: {}'),
    tool('execute() {}'),
    tool('input: v.object({})'),
    tool('input: v.string()'),
    tool("input: { type: 'object' }"),
    tool('output: v.string()'),
    tool('output: v.objectAsync({})'),
    "defineTool({ name: 't', description: 'd' })",
    "defineTool({ description: 'd', run() {} })",
  ])('%s is judged alike by rules and runtime (RULE-18, TOOL-03)', (call) => {
    expect(isRefusedByRules(call, /^FLUE300[12367]$/)).toBe(isRefusedByRuntime(call));
  });
});
