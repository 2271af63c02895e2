import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { analyse } from '../analyse.ts';
import type { AnalysisHost } from '../host.ts';
import { memoryHost } from '../memory-host.ts';
import type { ProjectSettings } from './project.ts';

/** Whether anybody asked for types, when a tool and a state are written like this. */
function asksForTypes(body: string, settings: ProjectSettings = {}): boolean {
  const text = `'use agent';
import { defineTool, useDataWriter, useDelivery, useInitialData, useInstruction, useModel, usePersistentState, useTool } from '@flue/runtime';
import * as v from 'valibot';
import { opaque } from 'elsewhere';
export function Desk() {
  useModel('a/b');
  const { region } = useInitialData();
  const [n, setN] = usePersistentState('n', 0);
  const write = useDataWriter('card');
  useTool({ name: 't', description: 'd', input: v.object({ a: v.string() }), run({ data }) { ${body} } });
}
`;
  let asked = false;
  const checker = () => {
    asked = true;
    return undefined;
  };
  const host: AnalysisHost = memoryHost(ts, { 'src/a.ts': text }, { checker, sourceFile: () => undefined });
  const parsing: AnalysisHost = {
    ...host,
    sourceFile: (path) => ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
  };
  expect(analyse(['src/a.ts'], parsing, { settings }).failures).toEqual([]);
  return asked;
}

describe('types are asked only where syntax leaves a rule undecided (RULE-07)', () => {
  it.each([
    'write({ title: data.a, region, at: Date.now() }); return { ok: true, text: `${data.a}!` };',
    'setN((before) => before + 1); return [n, data.a];',
    'setN((before) => (before > 3 ? 0 : before * 2)); return data.a.length > 3;',
    'return { kind: undefined, items: [1, null, { a: region }] };',
    'const lines: string[] = opaque(); return { lines };',
    'function short(text: string): string { return opaque(text); } const id = short(data.a); return { id, at: short(id) };',
    'const of = (): { a: number; b?: "x" | null }[] => opaque(); return of();',
    'const words: string = opaque(); return { words: words.trim().slice(1), all: [words].join() };',
    'const label: string = opaque(); useInstruction(label); useInstruction(`${label}`.trim() + region); return 1;',
    'function Body(title: string) { useInstruction(title); } Body("a"); return 1;',
  ])('not for %s', (body) => expect(asksForTypes(body)).toBe(false));

  it.each([
    'return opaque(data);',
    'write(opaque()); return 1;',
    'setN(() => new Map()); return 1;',
    'return { at: new Date() };',
    'return { ...opaque() };',
    'const lines: Map<string, string>[] = opaque(); return { lines };',
    'async function short(): Promise<string> { return opaque(); } return { id: short() };',
    'const of = (): 1n | -2n => opaque(); return { of: of() };',
    'const words: string[] = opaque(); return { words: words.slice(1) };',
    'const label: string[] = opaque(); useInstruction(label); return 1;',
    'useInstruction(opaque() + 1); return 1;',
  ])('but for %s', (body) => expect(asksForTypes(body)).toBe(true));

  it('unless all or none of them are to be asked', () => {
    expect(asksForTypes('return data.a;', { typing: 'all' })).toBe(true);
    expect(asksForTypes('return opaque(data);', { typing: 'none' })).toBe(false);
  });
});
