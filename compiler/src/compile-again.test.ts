import { describe, expect, it } from 'vitest';
import { type Compilation, openCompiler } from './compile.ts';
import { loadProject } from './config/load-project.ts';
import { addFiles, temporaryProject } from './testing/temporary-project.fixture.ts';

const agent = (name: string, from: string) => `'use agent';
import { useModel } from '@flue/runtime';
import { text } from './${from}.ts';
export function ${name}() { useModel('offline/demo'); return text(); }
`;
const returning = (type: string, more = '') => `export declare function text(): ${type};\n${more}`;

const SOURCES: Readonly<Record<string, string>> = {
  'src/a.ts': agent('A', 'one'),
  'src/b.ts': agent('B', 'two'),
  'src/one.ts': returning('string'),
  'src/two.ts': "export { text } from './deep.ts';\n",
  'src/deep.ts': returning('Given', "import type { Given } from './given.ts';\n"),
  'src/given.ts': 'export type Given = string;\n',
  // Apart from the others, so that what is known of them is reused.
  ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`src/c/c${i}.ts`, agent(`C${i}`, '../one')])),
};

const open = async (root: string) => openCompiler((await loadProject({ root })).project);
const shown = ({ diagnostics, agents, failures }: Compilation) =>
  JSON.stringify({ diagnostics, agents, failures }, null, 1);

describe('a compilation after an edit, with types', { timeout: 60_000 }, () => {
  it.each<[string, string, string, number]>([
    ['the module that is asked about', 'src/a.ts', agent('A', 'one').replace('text()', 'text().length'), 1],
    ['a type that it reaches through others', 'src/given.ts', 'export type Given = number;\n', 1],
    ['a function that many call', 'src/one.ts', returning('string[]'), 21],
    ['nothing but a comment', 'src/one.ts', returning('string', '// more\n'), 0],
    [
      'the types of all',
      'src/given.ts',
      'declare global { interface Array<T> { first: T } }\nexport type Given = number;\n',
      1,
    ],
  ])('of %s says what one from scratch says (CACHE-03, CACHE-04)', async (_, path, text, wrong) => {
    const root = temporaryProject(SOURCES);
    const compiler = await open(root);
    expect(compiler.compile().diagnostics).toEqual([]);
    for (const [now, count] of [
      [text, wrong],
      [SOURCES[path]!, 0],
      [text, wrong],
    ] as const) {
      addFiles(root, { [path]: now });
      compiler.edited([path]);
      const again = compiler.compile();
      expect(again.diagnostics.filter(({ code }) => code === 'FLUE2305')).toHaveLength(count);
      expect(shown(again)).toBe(shown((await open(root)).compile()));
    }
  });

  it('asks types anew once a tsconfig says what they are (CACHE-04)', async () => {
    const config = (strict: boolean) => JSON.stringify({ compilerOptions: { strict } });
    const root = temporaryProject({
      ...SOURCES,
      'src/one.ts': returning('string | null'),
      'tsconfig.json': config(false),
    });
    const compiler = await open(root);
    const before = compiler.compile();
    addFiles(root, { 'tsconfig.json': config(true) });
    compiler.changed('everything');
    const after = compiler.compile();
    expect(shown(after)).not.toBe(shown(before));
    expect(shown(after)).toBe(shown((await open(root)).compile()));
  });
});
