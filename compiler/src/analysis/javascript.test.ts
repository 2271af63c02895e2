import { describe, expect, it } from 'vitest';
import { typeChecksJs } from './host.ts';
import { checkOnDisk } from './rules/project-examples.test.kit.ts';

/** A name that no provider takes (tier S), two models (tier G), a result that is no JSON (tier T). */
const SOURCE = `'use agent';
import { defineTool, useModel, useTool } from '@flue/runtime';
export const lookUp = defineTool({ name: 'look up', description: 'd', run() { return new Map([['a', 1]]); } });
export function Desk() {
  useModel('offline/demo');
  useModel('offline/demo');
  useTool(lookUp);
}
`;

async function codes(files: Record<string, string>): Promise<string[]> {
  const { diagnostics, failures } = await checkOnDisk(files);
  expect(failures).toEqual([]);
  return diagnostics
    .map(({ code }) => code)
    .filter((code) => /FLUE(?:3003|2102|3010)/.test(code))
    .sort();
}

describe('a JavaScript file', () => {
  it.each([
    undefined,
    '{}',
    '{ "compilerOptions": { "allowJs": true } }',
    '{ "compilerOptions": { "checkJs": false } }',
  ])('is judged by syntax and graph whatever %s says, and not by types (RULE-12)', async (tsconfig) => {
    const config = tsconfig === undefined ? {} : { 'tsconfig.json': tsconfig };
    expect(await codes({ 'src/a.js': SOURCE, ...config })).toEqual(['FLUE2102', 'FLUE3003']);
  });

  const BY_SYNTAX = ['FLUE2102', 'FLUE3003'];
  const CHECKED = { 'tsconfig.json': '{ "compilerOptions": { "allowJs": true, "checkJs": true } }' };

  it.each([
    ['checkJs', { 'src/a.js': SOURCE, ...CHECKED }, [...BY_SYNTAX, 'FLUE3010']],
    ['a comment that asks for it', { 'src/a.js': `// @ts-check\n${SOURCE}` }, [...BY_SYNTAX, 'FLUE3010']],
    ['no comment that forbids it', { 'src/a.js': `// @ts-nocheck\n${SOURCE}`, ...CHECKED }, BY_SYNTAX],
    ['TypeScript', { 'src/a.ts': SOURCE }, [...BY_SYNTAX, 'FLUE3010']],
  ])(
    'is judged by types as well where the project type-checks it: %s (RULE-12)',
    async (_, files, expected) => {
      expect(await codes(files)).toEqual(expected);
    },
  );

  it.each([
    [undefined, '', false],
    [true, '', true],
    [true, "'use agent';\n// @ts-nocheck", true],
    [true, '#!/usr/bin/env node\n/* a */ // @ts-nocheck\n', false],
    [false, '// a\n// @ts-check\n', true],
    [false, '// @ts-check\n// @ts-nocheck\n', false],
    [false, '/* // x */ const a = "// @ts-check";', false],
  ])('checkJs %s and %j: type-checked is %s (RULE-12)', (checkJs, text, expected) => {
    expect(typeChecksJs(checkJs, text)).toBe(expected);
  });
});
