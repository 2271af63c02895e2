import { describe, expect, it } from 'vitest';
import { analyseTyped } from './rules/typed-examples.test.kit.ts';

const analyseModule = (text: string) => analyseTyped({ 'src/a.ts': text });

/** What FLUE3010 says of a tool that returns a value of this type. */
function verdict(type: string, more = ''): string {
  const analysis = analyseModule(
    `import { defineTool } from '@flue/runtime';\nimport * as v from 'valibot';\n${more}
export const t = defineTool({ name: 't', description: 'd', run() { return undefined as unknown as ${type}; } });\n`,
  );
  expect(analysis.failures).toEqual([]);
  const [found] = analysis.diagnostics.filter(({ code }) => code === 'FLUE3010');
  return found ? `${found.severity}: ${found.message.replace('Tool results are JSON; ', '')}` : 'accepted';
}

describe('types that JSON refuses (JSON-01)', () => {
  it.each([
    ['bigint', 'error: this result is bigint.'],
    ['symbol', 'error: this result is symbol.'],
    ['() => void', 'error: this result is () => void.'],
    ['Map<string, number>', 'error: this result is Map<string, number>.'],
    ['{ a: { b: Set<string> } }', 'error: a.b is Set<string>.'],
    ['{ a: Promise<string> }', 'error: a is Promise<string>.'],
    ['Uint8Array[]', 'error: [] is Uint8Array<ArrayBufferLike>.'],
    ['Error', 'error: this result is Error.'],
    ['Thing', 'error: this result is Thing.'],
    ['string | bigint', 'warning: this result is bigint.'],
    ['{ a?: bigint }', 'warning: a is bigint.'],
    ['(string | undefined)[]', 'warning: [] is undefined.'],
  ])('%s', (type, expected) => expect(verdict(type, 'class Thing { n = 1; }')).toBe(expected));

  it.each([
    'any',
    'unknown',
    'never',
    'Promise<{ a: string }>',
    '{ a?: string; b: number | undefined }',
    'Date',
    'URL',
    'Dated',
    'Nested',
    'readonly [string, number | null]',
    'Record<string, boolean>',
  ])('%s is none of them', (type) =>
    expect(
      verdict(
        type,
        'class Dated { toJSON() { return 1; } }\ninterface Nested { readonly value: string; readonly next?: Nested }',
      ),
    ).toBe('accepted'),
  );

  it('a declared output decides alone, by its syntax where that suffices (FLUE3010)', () => {
    const codes = (output: string) =>
      analyseModule(
        `import { defineTool } from '@flue/runtime';\nimport * as v from 'valibot';\n
export const t = defineTool({ name: 't', description: 'd', output: ${output}, run() { return undefined as any; } });\n`,
      ).diagnostics.flatMap(({ code, message }) => (code === 'FLUE3010' ? [message] : []));
    expect(codes('v.object({ a: v.array(v.string()) })')).toEqual([]);
    expect(codes('v.object({ a: v.date() })')).toEqual([]);
    expect(codes('v.object({ a: v.bigint() })')).toEqual(['Tool results are JSON; a is bigint.']);
    expect(codes('v.pipe(v.string(), v.transform((text) => new Map([[text, 1]])))')).toEqual([
      'Tool results are JSON; this result is Map<string, number>.',
    ]);
  });

  it("a cast is the author's word (FLUE2407, RULE-17)", () => {
    const writing = (value: string) =>
      analyseModule(
        `'use agent';\nimport { useAgentStart, useDataWriter, useModel } from '@flue/runtime';\ndeclare const given: Map<string, number>;
export function Desk() { useModel('a/b'); const write = useDataWriter('card'); useAgentStart(() => { write(${value}); }); }\n`,
      ).diagnostics.flatMap(({ code }) => (code === 'FLUE2407' ? [code] : []));
    expect(writing('given')).toEqual(['FLUE2407']);
    expect(writing('given as any')).toEqual([]);
    expect(writing('(given as unknown) as { a: 1 }')).toEqual([]);
  });
});
