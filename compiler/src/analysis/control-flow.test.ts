import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { analyse } from './analyse.ts';
import { memoryHost } from './memory-host.ts';

const HEAD = `'use agent';
import { useModel, useTool } from '@flue/runtime';
import { flag } from 'flags';
export function Desk(props) {
`;
const M = "useModel('openai/gpt-5')";
const N = "useModel('openai/gpt-5-mini')";

/** What is said of the model: code, severity and, where a path is named, the test that decides and its line. */
function found(body: string): string[] {
  const { diagnostics, failures } = analyse(
    ['src/a.ts'],
    memoryHost(ts, { 'src/a.ts': `${HEAD}${body}\n}\n` }),
  );
  expect(failures).toEqual([]);
  return diagnostics
    .filter(({ code }) => code === 'FLUE2101' || code === 'FLUE2102')
    .map(({ code, severity, message }) => {
      const [, test, line] = /on one side of "(.+)" \(a\.ts:(\d+)\)/.exec(message) ?? [];
      return test === undefined ? `${code} ${severity}` : `${code} ${severity}: ${test} at ${line}`;
    });
}

describe('a path without a model is named (FLUE2101)', () => {
  it.each([
    ['if', `if (flag('a')) ${M};`, "flag('a') at 5"],
    ['else', `if (flag('a')) {\n} else ${M};`, "flag('a') at 5"],
    ['an inner if', `if (flag('a')) {\nif (flag('b')) ${M};\n} else ${N};`, "flag('b') at 6"],
    ['an early return', `if (props.id)\nif (flag('a')) return 'later';\n${M};`, "flag('a') at 6"],
    ['a return in else', `if (flag('a')) ${M};\nelse return;\nflag('b');`, "flag('a') at 5"],
    ['switch', `switch (flag('a')) { case 1: ${M}; break; default: }`, "flag('a') at 5"],
    [
      'a case that falls through',
      `switch (flag('a')) { case 1: default: if (flag('b')) break; ${M}; }`,
      "flag('b') at 5",
    ],
    ['one case', `switch (flag('a')) { case 1: ${M}; }`, "flag('a') at 5"],
    ['while', `while (flag('a')) { ${M}; break; }`, "flag('a') at 5"],
    ['for', `for (; flag('a'); ) { ${M}; break; }`, "flag('a') at 5"],
    ['for-of', `for (const m of flag('a')) { ${M}; break; }`, "flag('a') at 5"],
    ['for-in', `for (const m in flag('a')) { ${M}; break; }`, "flag('a') at 5"],
    ['break', `for (;;) {\nif (flag('a')) break;\n${M}; break; }`, "flag('a') at 6"],
    ['continue', `for (const m of [1]) {\nif (flag('a')) continue;\n${M}; }`, "flag('a') at 6"],
    ['a labelled break', `out: {\nif (flag('a')) break out;\n${M}; }`, "flag('a') at 6"],
    [
      'a labelled continue',
      `out: for (const a of [1]) for (const b of [1]) {\nif (flag('a')) continue out;\n${M}; }`,
      "flag('a') at 6",
    ],
    ['try', `try { flag('a');\n${M}; } catch {}`, "flag('a') at 5"],
    ['catch', `try { flag('a'); }\ncatch { ${M}; }`, "flag('a') at 5"],
    ['finally', `try { flag('a'); }\nfinally { if (flag('b')) ${M}; }`, "flag('b') at 6"],
    ['a return before finally', `try { if (flag('a')) return; } finally {}\n${M};`, "flag('a') at 5"],
    ['&&', `flag('a') && ${M};`, "flag('a') at 5"],
    ['||', `flag('a') || ${M};`, "flag('a') at 5"],
    ['??', `flag('a') ?? ${M};`, "flag('a') at 5"],
    ['?:', `flag('a') ? ${M} : undefined;`, "flag('a') at 5"],
    ['?.', `flag('a')?.at(${M});`, "flag('a') at 5"],
    ['&&=', `let a = flag('a');\na &&= ${M};`, 'a at 6'],
    ['a default value', `const { a = ${M} } = flag('a');`, `${M} at 5`],
    ['a callback', `flag('a').forEach(() => ${M});`, undefined],
  ])('%s', (_, body, path) => {
    const [first = '', ...more] = found(body);
    expect(more.filter((finding) => finding.startsWith('FLUE2101'))).toEqual([]);
    expect(first.startsWith('FLUE2101 warning: ')).toBe(true);
    if (path !== undefined) expect(first).toBe(`FLUE2101 warning: ${path}`);
  });

  it('is none where it throws (FLUE2101.n1, RULE-24)', () => {
    expect(found(`if (!props.id) throw new Error('x');\n${M};`)).toEqual([]);
    expect(found(`try { flag('a'); } catch (error) { throw error; }\n${M};`)).toEqual([]);
    expect(found(`for (;;) { if (flag('a')) continue; ${M}; break; }`)).toEqual([]);
  });
});

describe('branches that exclude each other repeat nothing (FLUE2102.n1, FLUE2104.n1)', () => {
  it.each([
    ['if and else', `if (flag()) ${M}; else ${N};`],
    ['a chain of else if', `if (flag()) ${M}; else if (flag()) ${N}; else ${M};`],
    ['tests of one value', `const a = flag(); if (a) ${M}; if (!a) ${N};`],
    ['tests of two values', `const a = flag(); const b = flag(); if (a && b) ${M}; if (!a || !b) ${N};`],
    ['comparisons with literals', `const a = flag(); if (a === 'x') ${M}; if (a !== 'x') ${N};`],
    ['a return', `if (flag()) { ${M}; return; } ${N};`],
    ['a throw', `if (flag()) { ${M}; throw new Error('x'); } ${N};`],
    ['cases', `switch (flag()) { case 1: ${M}; break; case 2: ${N}; break; default: ${M}; }`],
    ['cases that return', `switch (flag()) { case 1: ${M}; return; default: ${N}; }`],
    [
      'cases of one value, twice',
      `const a = flag(); switch (a) { case 1: ${M}; break; default: } switch (a) { case 1: break; default: ${N}; }`,
    ],
    ['the sides of ?:', `flag() ? ${M} : ${N};`],
    ['&& and ||', `const a = flag(); a && ${M}; a || ${N};`],
    ['a pass that leaves', `for (const m of ['openai/gpt-5', 'openai/gpt-5-mini']) { useModel(m); break; }`],
    ['a labelled break', `out: { if (flag()) { ${M}; break out; } ${N}; }`],
    ['a break out of two loops', `out: for (;;) { for (;;) { ${M}; break out; } }`],
    ['a do that is left', `do { if (flag()) { ${M}; break; } ${N}; break; } while (flag());`],
    ['try and catch', `try { flag(); ${M}; } catch { ${N}; }`],
    ['catch that returns', `try { flag(); } catch { ${M}; return; } ${N};`],
    ['a return through finally', `try { if (flag()) { ${M}; return; } } finally { flag(); } ${N};`],
  ])('%s', (_, body) => {
    expect(found(body).filter((finding) => finding.startsWith('FLUE2102'))).toEqual([]);
    const tools = body.replaceAll(/useModel\([^)]*\)/g, "useTool({ name: 't', description: 'd', run() {} })");
    const { diagnostics } = analyse(
      ['src/a.ts'],
      memoryHost(ts, { 'src/a.ts': `${HEAD}${M}; ${tools}\n}\n` }),
    );
    expect(diagnostics.map(({ code }) => code).filter((code) => /FLUE210[45]/.test(code))).toEqual([]);
  });

  it('and one that both lead to does repeat (FLUE2102, RULE-25)', () => {
    expect(found(`if (flag()) ${M}; else ${N};\n${M};`)).toEqual(['FLUE2102 error']);
    expect(found(`if (flag()) ${M};\n${N};`)).toEqual(['FLUE2102 warning']);
    expect(found(`switch (flag()) { case 1: ${M}; default: ${N}; }`)).toEqual(['FLUE2102 warning']);
    expect(found(`try { ${M}; } finally { ${N}; }`)).toEqual(['FLUE2102 error']);
  });
});
