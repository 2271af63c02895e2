import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { published, root } from './workspace.ts';

/** A small house under the real rules: every file is one import, right or wrong, and what the tool must say about it. */
const planted: { file: string; source: string; breaks?: string }[] = [
  { file: 'runtime/src/internal.ts', source: `export * from './contract/names.ts';` },
  { file: 'runtime/src/config.ts', source: 'export const config = 1;' },
  { file: 'runtime/src/contract/names.ts', source: 'export const names = 1;' },
  { file: 'runtime/src/errors/base.ts', source: `import '../contract/names.ts';\nexport const base = 1;` },
  { file: 'runtime/src/adapters/sqlite/sqlite.ts', source: `import '../../errors/base.ts';` },

  { file: 'runtime/src/engine/down.ts', source: `import '../conversation/fold.ts';` },
  { file: 'runtime/src/conversation/fold.ts', source: 'export interface Fold { at: number }' },
  {
    file: 'runtime/src/conversation/up.ts',
    source: `import '../engine/down.ts';`,
    breaks: 'conversation-points-down',
  },
  {
    file: 'runtime/src/conversation/up-by-type.ts',
    source: `import type { Turn } from '../engine/turn.ts';\nexport type Again = Turn;`,
    breaks: 'conversation-points-down',
  },
  {
    file: 'runtime/src/conversation/reads-a-file.ts',
    source: `import 'node:fs';`,
    breaks: 'conversation-is-pure',
  },
  { file: 'runtime/src/engine/turn.ts', source: 'export interface Turn { index: number }' },
  {
    file: 'runtime/src/app/picks-adapter.ts',
    source: `import '../adapters/sqlite/sqlite.ts';`,
    breaks: 'adapters-are-picked-at-the-door',
  },
  { file: 'runtime/src/node.ts', source: `import './adapters/sqlite/sqlite.ts';` },
  {
    file: 'runtime/src/app/through-the-door.ts',
    source: `import '../internal.ts';`,
    breaks: 'front-doors-open-outward',
  },
  {
    file: 'runtime/src/contract/heavy.ts',
    source: `import 'node:fs';`,
    breaks: 'contract-is-plain-data',
  },

  // A circle is one fault, reported at the file where it was entered.
  {
    file: 'runtime/src/engine/a.ts',
    source: `import { b } from './b.ts';\nexport const a = () => b;`,
    breaks: 'no-circle',
  },
  { file: 'runtime/src/engine/b.ts', source: `import { a } from './a.ts';\nexport const b = () => a;` },
  {
    file: 'runtime/src/engine/c.ts',
    source: `import type { D } from './d.ts';\nexport type C = { d?: D };`,
    breaks: 'no-circle',
  },
  { file: 'runtime/src/engine/d.ts', source: `import type { C } from './c.ts';\nexport type D = { c?: C };` },

  {
    file: 'compiler/src/project/load.ts',
    source: `import { Project } from 'ts-morph';\nexport const load = Project;`,
  },
  {
    file: 'compiler/src/cli/morph.ts',
    source: `import { Project } from 'ts-morph';\nexport const load = Project;`,
    breaks: 'ts-morph-stays-in-project',
  },
  { file: 'compiler/src/project/disk.ts', source: `import 'node:fs';` },
  {
    file: 'compiler/src/project/own-reads.ts',
    source: `import { readFileSync } from 'node:fs';\nexport const read = readFileSync;`,
    breaks: 'one-door-to-the-disk',
  },
  { file: 'compiler/src/emit/internal.ts', source: `import '@flue/runtime/internal';` },
  {
    file: 'compiler/src/emit/whole-runtime.ts',
    source: `import '@flue/runtime/node';`,
    breaks: 'compiler-knows',
  },
  {
    file: 'compiler/src/emit/by-path.ts',
    source: `import '../../../runtime/src/internal.ts';`,
    breaks: 'packages-by-name',
  },
  {
    file: 'compiler/src/analysis/index.ts',
    source: `import type ts from 'typescript';\nexport type Source = ts.SourceFile;`,
  },
  {
    file: 'compiler/src/analysis/own-typescript.ts',
    source: `import ts from 'typescript';\nexport const version = ts.version;`,
    breaks: 'analysis-is-handed-its-typescript',
  },
  {
    file: 'compiler/src/analysis/disk.ts',
    source: `import 'node:fs';`,
    breaks: 'analysis-touches-no-machine',
  },
  {
    file: 'compiler/src/analysis/upward.ts',
    source: `import '../project/load.ts';`,
    breaks: 'analysis-stands-alone',
  },

  { file: 'ts-plugin/src/index.ts', source: `import '@flue/compiler/analysis';` },
  { file: 'ts-plugin/src/whole.ts', source: `import '@flue/compiler';`, breaks: 'ts-plugin-knows' },
  { file: 'compiler/src/index.ts', source: 'export const api = 1;' },
  { file: 'unplugin/src/vite.ts', source: `import '@flue/compiler';` },
  { file: 'runtime/src/app/upstairs.ts', source: `import '@flue/compiler';`, breaks: 'runtime-knows' },

  { file: 'examples/one/agent.ts', source: `import '@flue/runtime/node';` },
  { file: 'examples/one/private.ts', source: `import '@flue/runtime/internal';`, breaks: 'internal-is-ours' },
  {
    file: 'test/reaches-in.ts',
    source: `import '../runtime/src/engine/turn.ts';`,
    breaks: 'published-entries-only',
  },
  { file: 'test/support.ts', source: 'export const support = 1;' },
  {
    file: 'runtime/src/app/uses-a-test.ts',
    source: `import '../../../test/support.ts';`,
    breaks: 'nothing-imports-tests',
  },
  { file: 'unplugin/src/lost.ts', source: `import './no-such-file.ts';`, breaks: 'resolvable' },
];

describe('the arrows of the house', () => {
  const house = mkdtempSync(join(tmpdir(), 'flue-arrows-'));
  let found: { rule: { name: string }; from: string }[];

  beforeAll(() => {
    for (const file of ['.dependency-cruiser.cjs', '.tsconfig.base.json'])
      cpSync(join(root, file), join(house, file));
    writeFileSync(join(house, 'package.json'), '{ "type": "module" }');
    mkdirSync(join(house, 'node_modules/@flue'), { recursive: true });
    for (const name of ['ts-morph', 'typescript']) {
      symlinkSync(join(root, 'node_modules', name), join(house, 'node_modules', name), 'dir');
    }
    for (const name of published) {
      mkdirSync(join(house, name));
      cpSync(join(root, name, 'package.json'), join(house, name, 'package.json'));
      symlinkSync(join(house, name), join(house, 'node_modules/@flue', name), 'dir');
    }
    for (const { file, source } of planted) {
      mkdirSync(dirname(join(house, file)), { recursive: true });
      writeFileSync(join(house, file), `${source}\nexport {};\n`);
    }
    found = cruise(house);
  });

  afterAll(() => rmSync(house, { recursive: true, force: true }));

  const rulesBrokenBy = (file: string) =>
    found.filter(({ from }) => from === file).map(({ rule }) => rule.name);

  it.each(planted.filter(({ breaks }) => breaks))('$breaks is reported for $file', ({ file, breaks }) => {
    expect(rulesBrokenBy(file)).toContain(breaks);
  });

  it('an import along the arrows is not reported, and a circle of types is none', () => {
    const innocent = planted.filter(({ breaks }) => !breaks).flatMap(({ file }) => rulesBrokenBy(file));
    expect(innocent).toEqual([]);
  });
});

function cruise(cwd: string): { rule: { name: string }; from: string }[] {
  const args = ['runtime', 'compiler', 'unplugin', 'ts-plugin', 'examples', 'test'];
  const tool = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [tool, ...args, '--config', '.dependency-cruiser.cjs', '--output-type', 'json'],
    { cwd, encoding: 'utf8', maxBuffer: 1 << 26 },
  );
  if (!stdout) throw new Error(`dependency-cruiser printed nothing: ${stderr}`);
  return JSON.parse(stdout).summary.violations;
}
