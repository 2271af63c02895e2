import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveFlueProject } from '@flue/runtime/config';
import { describe, expect, it } from 'vitest';
import { addFiles, temporaryProject } from '../testing/temporary-project.fixture.ts';
import { openDiskHost } from './disk-host.ts';
import { findCandidates } from './find-candidates.ts';
import { findSourceFiles } from './find-files.ts';
import { findProject } from './find-root.ts';
import { globMatcher } from './glob.ts';
import { createModuleNames } from './package-info.ts';
import { readCandidate, readSourceText } from './source-text.ts';

const MARKED = "'use agent';\nexport function A() {}\n";

function scan(root: string, agents?: string): string[] {
  const options = { generatedDir: join(root, '.flue'), ...(agents !== undefined && { agents }) };
  return findSourceFiles(root, options).map((path) => path.slice(root.length + 1));
}

describe('the scan', () => {
  it('takes modules of four kinds and leaves out builds, dependencies, dot folders and declarations (CFG-08)', () => {
    const names = ['a.ts', 'b.mts', 'c.js', 'd.mjs', 'deep/e.ts'];
    const others = [
      'f.tsx',
      'g.cts',
      'h.d.ts',
      'i.d.mts',
      'node_modules/x/a.ts',
      'dist/a.ts',
      'output/a.ts',
      '.git/a.ts',
    ];
    const root = temporaryProject(Object.fromEntries([...names, ...others].map((name) => [name, MARKED])));
    expect(scan(root)).toEqual(names);
  });

  it('never enters the generated folder, whatever it is called (CFG-08)', () => {
    const root = temporaryProject({ 'a.ts': MARKED, 'generated/b.ts': MARKED });
    expect(findSourceFiles(root, { generatedDir: join(root, 'generated') })).toEqual([join(root, 'a.ts')]);
  });

  it('leaves nested projects to themselves (CHK-03)', () => {
    const root = temporaryProject({ 'a.ts': MARKED, 'apps/x/package.json': '{}', 'apps/x/b.ts': MARKED });
    expect(scan(root)).toEqual(['a.ts']);
  });

  it('narrows to the agents glob below the source root (CFG-08)', () => {
    const root = temporaryProject({ 'agents/a.ts': MARKED, 'agents/deep/b.ts': MARKED, 'lib/c.ts': MARKED });
    expect(scan(root, 'agents/**')).toEqual(['agents/a.ts', 'agents/deep/b.ts']);
  });

  it('sees a linked folder once and a circle of links not for ever (RULE-11)', () => {
    const root = temporaryProject({ 'lib/a.ts': MARKED });
    symlinkSync(join(root, 'lib'), join(root, 'link'));
    symlinkSync(root, join(root, 'lib/loop'));
    symlinkSync(join(root, 'self.ts'), join(root, 'self.ts'));
    symlinkSync(join(root, 'gone.ts'), join(root, 'dangling.ts'));
    expect(scan(root)).toEqual(['lib/a.ts']);
  });
});

describe('candidates', () => {
  it('are the files that mention a directive or our package, and the entries (RULE-09)', async () => {
    const root = temporaryProject({
      'src/a.ts': MARKED,
      'src/typo.ts': "'Use-Agent';",
      'src/tool.ts': "import { defineTool } from '@flue/runtime';",
      'src/other.ts': 'export const x = 1;',
      'src/app.ts': 'export default { fetch() {} };',
      'src/setup.ts': 'export {};',
    });
    const host = openDiskHost(root);
    const { paths, scanned } = findCandidates(resolveFlueProject({ root }), host);
    expect(paths).toEqual(['src/a.ts', 'src/app.ts', 'src/setup.ts', 'src/tool.ts', 'src/typo.ts']);
    expect(scanned).toHaveLength(6);
  });
});

describe('reading', () => {
  it('drops a byte-order mark and says which bytes are no UTF-8 (FLUE5001)', () => {
    const root = temporaryProject({
      'bom.ts': `\ufeff${MARKED}`,
      'latin1.ts': Buffer.from(`${MARKED}// caf\u00e9`, 'latin1'),
      'utf16.ts': Buffer.from(`\ufeff${MARKED}`, 'utf16le'),
    });
    expect(readSourceText(join(root, 'bom.ts'))).toEqual({ text: MARKED });
    expect(readCandidate(join(root, 'latin1.ts'))).toMatchObject({ invalidUtf8: true });
    expect(readCandidate(join(root, 'utf16.ts'))).toEqual({ text: MARKED, invalidUtf8: true });
    expect(readSourceText(join(root, 'none.ts'))).toBeUndefined();
  });
});

describe('resolution', () => {
  const files = {
    'tsconfig.json': '{ "extends": "./base.json", "compilerOptions": { "module": "nodenext" } }',
    'base.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
    'package.json': '{ "imports": { "#lib/*": "./src/lib/*.ts" } }',
    'src/a.ts': '',
    'src/lib/b.ts': '',
    'src/lib/orders.tools.ts': '',
    'src/notes.md': '',
    'packages/web/tsconfig.json':
      '{ "compilerOptions": { "paths": { "@/*": ["./lib/*"] }, "module": "nodenext" } }',
    'packages/web/lib/b.ts': '',
    'node_modules/hooks/package.json':
      '{ "name": "hooks", "main": "i.js", "peerDependencies": { "@flue/runtime": "*" } }',
    'node_modules/hooks/i.js': '',
    'node_modules/plain/package.json': '{ "name": "plain", "main": "i.js" }',
    'node_modules/plain/i.js': '',
  };

  it('honours aliases behind extends, package imports, dotted names and .js for .ts (RULE-10)', async () => {
    const { resolve } = openDiskHost(temporaryProject(files));
    const project = (path: string) => ({ kind: 'project', path });
    expect(resolve('@/lib/b.ts', 'src/a.ts')).toEqual(project('src/lib/b.ts'));
    expect(resolve('#lib/b', 'src/a.ts')).toEqual(project('src/lib/b.ts'));
    expect(resolve('./lib/b.js', 'src/a.ts')).toEqual(project('src/lib/b.ts'));
    expect(resolve('./lib/orders.tools.js', 'src/a.ts')).toEqual(project('src/lib/orders.tools.ts'));
  });

  it('asks the nearest tsconfig of the importing file (RULE-10)', async () => {
    const { resolve } = openDiskHost(temporaryProject(files));
    expect(resolve('@/b.ts', 'packages/web/lib/c.ts')).toEqual({
      kind: 'project',
      path: 'packages/web/lib/b.ts',
    });
  });

  it('works without any tsconfig, extensions left out too (RULE-10)', async () => {
    const { resolve } = openDiskHost(temporaryProject({ 'src/a.ts': '', 'src/orders.tools.ts': '' }));
    expect(resolve('./orders.tools', 'src/a.ts')).toEqual({ kind: 'project', path: 'src/orders.tools.ts' });
  });

  it('names our package by entry, and its real path where it is installed (RULE-08, FLUE5003)', async () => {
    const root = temporaryProject({ ...files, 'node_modules/@flue/runtime/package.json': '{}' });
    const { resolve } = openDiskHost(root);
    const realPath = 'node_modules/@flue/runtime';
    expect(resolve('@flue/runtime/node', 'src/a.ts')).toEqual({ kind: 'flue', entry: 'node', realPath });
  });

  it('tells packages, those that depend on ours, assets and what nobody resolves apart (RULE-10, RULE-13)', async () => {
    const { resolve } = openDiskHost(temporaryProject(files));
    const from = (specifier: string) => resolve(specifier, 'src/a.ts');
    expect(from('hooks')).toEqual({ kind: 'package', name: 'hooks', dependsOnFlue: true });
    expect(from('plain')).toEqual({ kind: 'package', name: 'plain', dependsOnFlue: false });
    expect(from('valibot')).toEqual({ kind: 'valibot' });
    expect(from('node:fs')).toEqual({ kind: 'package', name: 'node:fs' });
    expect(from('cloudflare:workers')).toEqual({ kind: 'package', name: 'cloudflare:workers' });
    expect(from('./notes.md')).toEqual({ kind: 'asset', path: 'src/notes.md' });
    expect(from('./notes.md?raw')).toEqual({ kind: 'asset', path: 'src/notes.md' });
    expect(from('./missing.ts')).toEqual({ kind: 'unresolved' });
    expect(from('not-installed')).toEqual({ kind: 'unresolved' });
  });

  it('follows a linked package of the workspace to its sources (RULE-11)', async () => {
    const root = temporaryProject({
      ...files,
      'packages/shared/package.json': '{ "name": "shared", "exports": "./src/i.ts" }',
      'packages/shared/src/i.ts': '',
    });
    symlinkSync(join(root, 'packages/shared'), join(root, 'node_modules/shared'));
    const { resolve } = openDiskHost(root);
    expect(resolve('shared', 'src/a.ts')).toEqual({ kind: 'project', path: 'packages/shared/src/i.ts' });
  });

  it('finds a skill behind the exports of a package of the workspace, of an installed one, and behind an alias (RULE-10, PC-002)', async () => {
    const root = temporaryProject({
      ...files,
      'src/skills/own/SKILL.md': '',
      'packages/kit/package.json': '{ "name": "@x/kit", "exports": { "./skills/*": "./content/*" } }',
      'packages/kit/content/returns/SKILL.md': '',
      'packages/kit/private/SKILL.md': '',
      'node_modules/far/package.json': '{ "name": "far" }',
      'node_modules/far/SKILL.md': '',
    });
    mkdirSync(join(root, 'node_modules/@x'));
    symlinkSync(join(root, 'packages/kit'), join(root, 'node_modules/@x/kit'));
    const { resolve } = openDiskHost(root);
    const asset = (path: string) => ({ kind: 'asset', path });
    expect(resolve('@x/kit/skills/returns/SKILL.md', 'src/a.ts')).toEqual(
      asset('packages/kit/content/returns/SKILL.md'),
    );
    expect(resolve('far/SKILL.md', 'src/a.ts')).toEqual(asset('node_modules/far/SKILL.md'));
    expect(resolve('@/skills/own/SKILL.md', 'src/a.ts')).toEqual(asset('src/skills/own/SKILL.md'));
    for (const closed of ['@x/kit/private/SKILL.md', '@x/kit/skills/none/SKILL.md'])
      expect(resolve(closed, 'src/a.ts')).toEqual({ kind: 'asset' });
  });

  it('uses the config of a solution that lists the file (RULE-10)', async () => {
    const root = temporaryProject({
      'tsconfig.json': '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
      'tsconfig.app.json':
        '{ "include": ["src"], "compilerOptions": { "composite": true, "paths": { "~/*": ["./src/*"] } } }',
      'src/a.ts': '',
      'src/b.ts': '',
    });
    const { resolve } = openDiskHost(root);
    expect(resolve('~/b', 'src/a.ts')).toEqual({ kind: 'project', path: 'src/b.ts' });
  });

  it('names the file and the reason when a tsconfig cannot be read (CHK-02)', async () => {
    const faultOf = async (root: string) => {
      const host = openDiskHost(root);
      expect(host.resolve('./b', 'a.ts')).toEqual({ kind: 'unresolved' });
      return () => host.throwFault();
    };
    const broken = temporaryProject({ 'tsconfig.json': '{\n "compilerOptions": {,}\n}' });
    expect(await faultOf(broken)).toThrow(/^tsconfig\.json: 2:\d+ /);
    const missing = temporaryProject({ 'tsconfig.json': '{ "extends": "./none.json" }' });
    expect(await faultOf(missing)).toThrow(/^tsconfig\.json: .*none\.json/);
    const folder = temporaryProject({});
    mkdirSync(join(folder, 'tsconfig.json'));
    expect(await faultOf(folder)).toThrow('tsconfig.json: cannot be read (EISDIR).');
  });
});

describe('the host', () => {
  it('keeps what it read until it is told of a change (EMIT-08)', async () => {
    const root = temporaryProject({ 'a.ts': 'export const a = 1;' });
    const host = openDiskHost(root);
    const first = host.sourceFile('a.ts');
    writeFileSync(join(root, 'a.ts'), 'export const a = 2;');
    expect(host.sourceFile('a.ts')).toBe(first);
    host.changed(['a.ts']);
    expect(host.sourceFile('a.ts')?.text).toBe('export const a = 2;');
    addFiles(root, { 'a.ts': 'export const a = 3;' });
    host.changed('everything');
    expect(host.read('a.ts')?.text).toBe('export const a = 3;');
  });

  it('gives a type checker over the trees it handed out, on demand (RULE-07)', async () => {
    const host = openDiskHost(temporaryProject({ 'a.ts': 'const a = [1].map(String);' }));
    const file = host.sourceFile('a.ts')!;
    const statement = file.statements[0]!;
    const checker = host.checker?.();
    if (!host.ts.isVariableStatement(statement) || !checker) throw new Error('no checker');
    const { name } = statement.declarationList.declarations[0]!;
    expect(checker.typeToString(checker.getTypeAtLocation(name))).toBe('string[]');
  });
});

describe('the project', () => {
  const place = (root: string, rest: object = {}) => findProject({ workingDirectory: root, ...rest });

  it('is --cwd, else a single project folder, else the nearest ancestor that is one (CHK-03)', () => {
    const root = temporaryProject({ 'src/a.ts': '', 'apps/x/package.json': '{}' });
    expect(place(root, { root: 'apps/x' }).root).toBe(join(root, 'apps/x'));
    expect(place(root, { paths: ['apps/x'] })).toEqual({ root: join(root, 'apps/x'), paths: [] });
    expect(place(join(root, 'src')).root).toBe(root);
    expect(place(root, { paths: ['src'] })).toEqual({ root, paths: [join(root, 'src')] });
  });

  it('refuses a path that does not exist (CHK-03)', () => {
    const root = temporaryProject({});
    expect(() => place(root, { paths: ['nope'] })).toThrow('nope: there is no such file or directory.');
    expect(() => place(root, { root: 'nope' })).toThrow('nope: there is no such directory.');
  });
});

describe('names', () => {
  it('of modules outside the root start with their package (MAN-10)', () => {
    const root = temporaryProject({
      'lib/package.json': '{ "name": "@acme/lib" }',
      'lib/src/i.ts': '',
      'app/a.ts': '',
    });
    const nameOf = createModuleNames(join(root, 'app'));
    expect(nameOf('src/a.ts')).toEqual({ path: 'src/a.ts' });
    expect(nameOf('../lib/src/i.ts')).toEqual({ path: '@acme/lib/src/i.ts', external: true });
  });
});

describe('globs', () => {
  it.each([
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'x/y/a.ts', true],
    ['*.ts', 'x/a.ts', false],
    ['agents/', 'agents/x/a.ts', true],
    ['{a,b}/?.ts', 'b/x.ts', true],
    ['[!a]*.ts', 'a.ts', false],
    ['a.b', 'axb', false],
  ])('%s against %s', (pattern, path, expected) => {
    expect(globMatcher(pattern)(path)).toBe(expected);
  });
});
