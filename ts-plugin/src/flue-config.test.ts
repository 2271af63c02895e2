import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readFlueConfig } from './flue-config.ts';

const read = (text: string) => readFlueConfig(ts, text);

describe('a Flue config is read without running it (RULE-32)', () => {
  it.each([
    ['a literal', `export default { check: { rules: { FLUE3003: 'off' } } };`],
    ['defineConfig', `export default defineConfig({ check: { rules: { FLUE3003: 'off' } } });`],
    ['typed', `export default ({ check: { rules: { FLUE3003: 'off' } } } as const) satisfies FlueConfig;`],
    [
      'constants',
      `const off = 'off';\nconst rules = { FLUE3003: off };\nexport default { check: { rules } };`,
    ],
  ])('%s', (_, text) => {
    expect(read(text)).toMatchObject({ rules: { FLUE3003: 'off' }, computed: [] });
  });

  it('with its paths and its profile', () => {
    const text = `export default {
      sourceRoot: 'app', app: './main.ts', setup: ['a.ts', 'b.ts'],
      generate: { outDir: 'made' }, check: { profile: 'strict' },
    };`;
    expect(read(text)).toEqual({
      sourceRoot: 'app',
      outDir: 'made',
      entries: { app: ['./main.ts'], setup: ['a.ts', 'b.ts'] },
      rules: {},
      profile: 'strict',
      computed: [],
    });
  });

  it('and names what only running it would tell', () => {
    const text = `export default { sourceRoot: process.env.ROOT, check: { rules: { a: level(), b: 'off' } } };`;
    expect(read(text)).toMatchObject({ rules: { b: 'off' }, computed: ['check.rules.a', 'sourceRoot'] });
  });

  it.each([
    ['a function', 'export default () => ({ sourceRoot: "app" });'],
    ['a spread', 'export default { ...base, sourceRoot: "app" };'],
    ['a variable that may change', 'let config = { sourceRoot: "app" };\nexport default config;'],
    ['a circle', 'const a = { sourceRoot: a };\nconst b = c;\nconst c = b;\nexport default c;'],
    ['nothing exported', 'const config = { sourceRoot: "app" };'],
    ['half a file', 'export default {{'],
  ])('knows nothing of %s, and survives it', (_, text) => {
    expect(read(text)).toMatchObject({ sourceRoot: undefined, rules: {} });
  });

  it('treats a wrong type as not set, which `flue check` reports (CFG-04)', () => {
    const text = `export default { sourceRoot: 3, setup: [4], check: { rules: { FLUE3003: 'loud' }, profile: 'x' } };`;
    expect(read(text)).toMatchObject({ sourceRoot: undefined, entries: {}, rules: {}, profile: 'default' });
  });

  it('and no config sets nothing', () => {
    expect(readFlueConfig(ts, undefined)).toMatchObject({ rules: {}, entries: {}, computed: [] });
  });
});
