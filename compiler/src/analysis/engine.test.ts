import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { type AnalysisOptions, analyse } from './analyse.ts';
import { check } from './check/check.ts';
import { findDirective } from './find.ts';
import { memoryHost } from './memory-host.ts';
import { nodeAt } from './node-at.ts';
import { defineRule } from './rules/define-rule.ts';
import { rules } from './rules/index.ts';

const IMPORTS = `import { useDataWriter, useDelivery, useInitialData, useInstruction, useModel, usePersistentState, useTool } from '@flue/runtime';\nimport { flag } from 'flags';\n`;
const agent = (body: string, more = '') =>
  `'use agent';\n${IMPORTS}${more}\nexport function Desk(props) {\n${body}\n}\n`;

function run(text: string, more: Record<string, string> = {}, options: AnalysisOptions = {}) {
  const files = { 'src/a.ts': text, ...more };
  const analysis = analyse(Object.keys(files), memoryHost(ts, files), options);
  expect(analysis.failures).toEqual([]);
  return analysis;
}

/** How the model is declared on the paths of a body. */
function model(body: string, more = ''): string {
  return run(agent(body, more)).agents[0]!.model.presence;
}

function codes(text: string, more: Record<string, string> = {}, options: AnalysisOptions = {}): string[] {
  return run(text, more, options).diagnostics.map(({ code, severity }) => `${code} ${severity}`);
}

describe('finding modules', () => {
  it.each([
    ["'use agent';", true],
    ['/* a */ // b\n"use agent"\n', true],
    ["'use strict'; 'use agent'", true],
    ["('use agent');", false],
    ["'use agent' + x;", false],
    ["import 'x';\n'use agent';", false],
    ["const text = `\n'use agent'`;", false],
  ])('%j is decided without a parse, as the parser decides it (BIND-10)', (text, marked) => {
    expect(findDirective(text) !== undefined).toBe(marked);
    expect(run(text).modules[0]!.marked).toBe(marked);
  });
});

describe('control flow', () => {
  it('takes cases that are all literals for all there are where something is missing, and proves nothing by them (RULE-15, RULE-17)', () => {
    const found = (body: string) => codes(agent(body)).filter((code) => /FLUE21/.test(code));
    const cases = (each: string) => `switch (flag()) { case 'a': ${each} break; case 'b': ${each} break; }`;
    expect(found(cases("useModel('openai/gpt-5');"))).toEqual([]);
    const state = "usePersistentState('a', 1);";
    expect(found(`useModel('openai/gpt-5'); ${cases(state)} ${state}`)).toEqual(['FLUE2104 warning']);
    expect(found(`useModel('openai/gpt-5'); ${state} ${state}`)).toEqual(['FLUE2104 error']);
  });

  it.each([
    ["if (flag()) useModel('a/b'); else useModel('a/c');", 'always'],
    ["if (flag()) return; useModel('a/b');", 'sometimes'],
    ["if (flag()) throw new Error('x'); useModel('a/b');", 'always'],
    ["flag() ? useModel('a/b') : useModel('a/c');", 'always'],
    ["flag() || useModel('a/b');", 'sometimes'],
    ["flag() ?? useModel('a/b');", 'sometimes'],
    ["flag()?.run(useModel('a/b'));", 'sometimes'],
    ["switch (flag()) { case 1: useModel('a/b'); break; default: useModel('a/c'); }", 'always'],
    ["switch (flag()) { case 1: case 2: useModel('a/b'); break; default: throw new Error('x'); }", 'always'],
    ["do { useModel('a/b'); break; } while (flag());", 'always'],
    ["while (flag()) { useModel('a/b'); break; }", 'sometimes'],
    ["outer: for (;;) { for (;;) { useModel('a/b'); break outer; } }", 'always'],
    ["for (const m of ['a/b']) useModel(m);", 'always'],
    ["['a/b'].forEach((m) => useModel(m));", 'always'],
    ["try { useModel('a/b'); } catch { return; }", 'always'],
    ["try { flag(); useModel('a/b'); } catch {}", 'sometimes'],
    ["try { flag(); } finally { useModel('a/b'); }", 'always'],
    ["(() => { useModel('a/b'); })();", 'always'],
    ["new Promise((resolve) => { useModel('a/b'); resolve(1); });", 'always'],
    ["const pick = (x = useModel('a/b')) => x; pick();", 'sometimes'],
  ])('%s declares the model %s (RULE-23, RULE-25)', (body, presence) => {
    expect(model(body)).toBe(presence);
  });

  it.each([
    ["if (true) useModel('a/b');", 'always'],
    ["const DEBUG = false; if (DEBUG) return; useModel('a/b');", 'always'],
    ["if (!props.id) fail(); useModel('a/b');", 'always'],
    ["const a = flag(); if (a) useModel('a/b'); if (!a) useModel('a/c');", 'always'],
    ["const a = flag(); if (a === 'x') useModel('a/b'); if (a !== 'x') useModel('a/c');", 'always'],
    ["let a = flag(); if (a) useModel('a/b'); a = flag(); if (!a) useModel('a/c');", 'repeated'],
  ])('%s leaves out paths that cannot be (RULE-24)', (body, presence) => {
    expect(model(body, "function fail() { throw new Error('x'); }")).toBe(presence);
  });
});

describe('composition', () => {
  it('names bound by the caller are known in the helper, and exclusive branches stay exclusive (RULE-27)', () => {
    const text = agent(
      "useModel('a/b'); useNamed('one'); useNamed('two'); useEither();",
      "function useNamed(name) { useDataWriter(name); }\nfunction useEither() { if (flag()) usePersistentState('n', 0); else usePersistentState('n', 1); }",
    );
    const { agents, diagnostics } = run(text);
    expect(diagnostics).toEqual([]);
    expect(agents[0]!.dataParts.map(({ name }) => name.static && name.value)).toEqual(['one', 'two']);
  });

  it('a callback that a project function calls at once is part of the render (RULE-21)', () => {
    const text = agent(
      "useModel('a/b'); twice(() => useInstruction('x'));",
      'function twice(f) { f(); f(); }',
    );
    expect(run(text).agents[0]!.hooks.map(({ hook }) => hook)).toContain('useInstruction');
  });

  it('a setter that a helper is given and calls is a write at the call (FLUE2301)', () => {
    const text = agent(
      "useModel('a/b'); const [n, setN] = usePersistentState('n', 0); apply(setN);",
      'function apply(set) { set(1); }',
    );
    expect(codes(text)).toEqual(['FLUE2301 error']);
  });

  it('a Flue API counts by what it resolves to, not by its name (RULE-08)', () => {
    const more = {
      'src/flue.ts': "export { useTool as mount } from '@flue/runtime';",
      'src/own.ts': 'export function useTool(x) {}',
    };
    const text = `import { mount } from './flue.ts';\nimport { useTool } from './own.ts';\nuseTool(1);\nmount({ name: 'x', description: 'd', run() {} });`;
    expect(codes(text, more)).toEqual(['FLUE2001 error']);
    expect(codes('export function f(useTool) { useTool(1); }\nf(() => {});')).toEqual([]);
  });

  it('what decides is fixed, varying or unknown (RULE-26)', () => {
    const stabilityOf = (test: string, before = '') =>
      run(
        agent(
          `useModel('a/b'); ${before} if (${test}) useInstruction('x');`,
          'let seen = 0;\nexport const bump = () => { seen = 1; };',
        ),
      ).agents[0]!.hooks.find(({ hook }) => hook === 'useInstruction')!.stability;
    expect(stabilityOf("props.id.startsWith('x')")).toBe('fixed');
    expect(stabilityOf('useInitialData().big && process.env.X')).toBe('fixed');
    expect(stabilityOf("useDelivery().kind === 'user'")).toBe('varying');
    expect(stabilityOf('Date.now() > 5')).toBe('varying');
    expect(stabilityOf('seen')).toBe('varying');
    expect(stabilityOf('flag()')).toBe('unknown');
    expect(stabilityOf('useLevel(props.id)', 'function useLevel(id) { return id.length > 3; }')).toBe(
      'fixed',
    );
  });
});

describe('policy', () => {
  it('a defective file hides nothing in another, and the order is path, start, code (RULE-06, RULE-14)', () => {
    const broken = "'use agent';\nexport function ( {";
    const text = agent('return null;');
    const found = run(text, { 'src/0.ts': broken, 'src/z.ts': "'use agents';\n" }).diagnostics;
    expect(found.map(({ code, span }) => `${span.path} ${code}`)).toEqual([
      'src/0.ts FLUE5001',
      'src/a.ts FLUE2101',
      'src/a.ts FLUE2305',
      'src/z.ts FLUE1002',
    ]);
  });

  it('a file that is not UTF-8 is FLUE5001 when it is ours', () => {
    const host = { ...memoryHost(ts, {}), read: () => ({ text: "'use agent'; \ufffd", invalidUtf8: true }) };
    const { diagnostics } = analyse(['src/a.ts'], host);
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['FLUE5001', 'Cannot parse this file: it is not valid UTF-8. Other Flue checks are skipped here.'],
    ]);
  });

  it('severities come by code or name, and what blocks a build cannot be lowered (RULE-32)', () => {
    const text =
      "import { defineTool } from '@flue/runtime';\nexport const t = defineTool({ name: 'a b', description: 'd', run() {} });";
    expect(codes(text, {}, { severities: { 'tool-name-charset': 'warn' } })).toEqual(['FLUE3003 warning']);
    expect(codes(text, {}, { severities: { FLUE3003: 'off' } })).toEqual([]);
    const async = `'use agent';\n${IMPORTS}export async function Desk() { useModel('a/b'); }`;
    expect(codes(async, {}, { severities: { FLUE1006: 'off' } })).toEqual(['FLUE1006 error']);
  });

  it('a suppression covers the next statement, by code or name, and no project-wide finding (RULE-30, RULE-31)', () => {
    const text = agent("useModel('a/b');\n// flue-ignore agent-return-type -- reviewed\nreturn null;");
    expect(codes(text)).toEqual([]);
    const twice = `'use agent';\n// flue-ignore-file FLUE1102 -- no\n${IMPORTS}export function A() { useModel('a/b'); } A.agentName = 'x';\nexport function B() { useModel('a/b'); } B.agentName = 'x';`;
    expect(codes(twice)).toEqual(['FLUE5007 warning', 'FLUE1102 error', 'FLUE1102 error']);
  });

  it('a rule that breaks costs its own findings only (RULE-05)', () => {
    const { lowered } = run(agent('return null;'));
    const broken = defineRule({
      code: 'FLUE2004',
      severity: 'hint',
      tier: 'S',
      check() {
        throw new Error('broken');
      },
    });
    const { diagnostics, failures } = check(lowered, [broken, ...rules]);
    expect(failures).toEqual([{ rule: 'FLUE2004', message: 'broken', file: lowered[0]?.path }]);
    expect(diagnostics.map(({ code }) => code)).toEqual(['FLUE2101', 'FLUE2305']);
  });
});

describe('facts', () => {
  it('lowered files are plain data: written out and read back they give the same result (CACHE-02, CACHE-04)', () => {
    const files = {
      'src/a.ts': agent("useModel('a/b'); useKit(props.id);", "import { useKit } from './kit.ts';"),
      'src/kit.ts':
        "import { useDataWriter } from '@flue/runtime';\nexport function useKit(n) { if (Math.random() > n) useDataWriter('card'); }",
    };
    const host = memoryHost(ts, files);
    const first = analyse(['src/a.ts'], host);
    const known = new Map(first.lowered.map((module) => [module.path, JSON.parse(JSON.stringify(module))]));
    const second = analyse(['src/a.ts'], host, { known });
    expect(second.diagnostics).toEqual(first.diagnostics);
    expect(second.agents).toEqual(first.agents);
    expect(first.diagnostics.map(({ code }) => code)).toEqual(['FLUE2201']);
  });

  it('the span of a schema gives its node back', () => {
    const text = agent(
      "useModel('a/b'); useTool({ name: 't', description: 'd', input: make(1), run() {} });",
      'const make = (n) => n;',
    );
    const { input } = run(text).agents[0]!.tools[0]!;
    const node = nodeAt(ts, ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true), input!.span);
    expect(node?.getText()).toBe('make(1)');
  });
});
