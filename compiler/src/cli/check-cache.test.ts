import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCacheFolder } from '../cache/cache-folder.ts';
import { openCompiler } from '../compile.ts';
import { loadProject } from '../config/load-project.ts';
import { runFlue } from '../testing/run-flue.fixture.ts';
import { AGENT, BROKEN, TWO_MODELS } from '../testing/sources.fixture.ts';
import { addFiles, temporaryProject } from '../testing/temporary-project.fixture.ts';

const HELPER = `import { useInstruction, useModel } from '@flue/runtime';
import { WORDS } from './words.ts';
export function useWords() { useInstruction(WORDS); useModel('offline/demo'); }
`;
const SOURCES: Readonly<Record<string, string>> = {
  'src/a.ts': TWO_MODELS,
  'src/b.ts': `'use agent';
import { useModel } from '@flue/runtime';
import { useWords } from './use-words.ts';
export function Wordy() { useModel('offline/demo'); useWords(); }
`,
  'src/use-words.ts': HELPER,
  'src/words.ts': "export const WORDS = 'few';\n",
  'src/plain.ts': 'export const plain = 1;\n',
  'src/early.ts': "import '@flue/runtime';\nimport './late.ts';\n",
  'flue.lock.json': '{"agents":{"Gone":{"module":"src/gone.ts"}},"lockVersion":1}',
};

/** The whole report, but for the time that it took. */
async function reported(root: string, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await runFlue(root, ['check', '--format', 'json', ...argv]);
  return `${code}\n${stdout.replace(/"durationMs": ?[\d.]+/, '')}\n${stderr}`;
}

const cacheFile = (root: string, folder: 'checks' | 'facts') =>
  readdirSync(join(root, '.flue/cache', folder)).map((name) => join(root, '.flue/cache', folder, name));

/** Compiles with the cache and says what had to be parsed for it. */
async function parsedFor(root: string): Promise<readonly string[]> {
  const { project } = await loadProject({ root });
  const compiler = await openCompiler(project, { cacheFolder: openCacheFolder(project.generatedDir) });
  const { parsed } = compiler.compile();
  compiler.saveFacts();
  return [...parsed].sort();
}

describe('flue check with its cache', () => {
  it('says the same with it and without it, in every state of it (CACHE-04, DET-01)', async () => {
    const root = temporaryProject(SOURCES);
    const plain = await reported(root, '--no-cache');
    expect(plain).toContain('FLUE2102');
    expect(plain).toContain('FLUE1107');
    expect(await reported(root)).toBe(plain);
    expect(await reported(root)).toBe(plain);
    rmSync(join(root, '.flue/cache/checks'), { recursive: true });
    expect(await reported(root)).toBe(plain);
    for (const path of [...cacheFile(root, 'facts'), ...cacheFile(root, 'checks')]) {
      const bytes = readFileSync(path);
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(path, bytes);
    }
    expect(await reported(root)).toBe(plain);
    rmSync(join(root, '.flue/cache/facts'), { recursive: true });
    expect(await reported(root)).toBe(plain);
  });

  it('neither reads nor writes it with --no-cache (RULE-33)', async () => {
    const root = temporaryProject(SOURCES);
    await reported(root, '--no-cache');
    expect(readdirSync(root)).not.toContain('.flue');
  });

  it('writes nothing but the cache, which git does not see (CHK-01, EMIT-01)', async () => {
    const root = temporaryProject({ 'src/a.ts': AGENT });
    await reported(root);
    expect(readdirSync(root).sort()).toEqual(['.flue', 'package.json', 'src']);
    expect(readdirSync(join(root, '.flue')).sort()).toEqual(['.gitignore', 'cache']);
    expect(readFileSync(join(root, '.flue/.gitignore'), 'utf8')).toBe('*\n');
  });

  it.each<[string, (root: string) => void]>([
    ['a source', (root) => addFiles(root, { 'src/a.ts': AGENT })],
    ['a file that was no candidate', (root) => addFiles(root, { 'src/plain.ts': BROKEN })],
    ['a new module', (root) => addFiles(root, { 'src/c.ts': AGENT })],
    ['a module that is gone', (root) => rmSync(join(root, 'src/use-words.ts'))],
    ['a module outside of the source root', (root) => addFiles(root, { 'lib/c.ts': AGENT })],
    ['an import that found nothing', (root) => addFiles(root, { 'src/late.ts': 'export {};' })],
    ['the lock', (root) => addFiles(root, { 'flue.lock.json': '{"agents":{},"lockVersion":1}' })],
    ['a generated file', (root) => addFiles(root, { '.flue/agents.ts': 'export const mine = 1;\n' })],
    [
      'severities in the configuration',
      (root) =>
        addFiles(root, { 'flue.config.ts': "export default { check: { rules: { FLUE2102: 'off' } } };" }),
    ],
  ])('sees a change of %s as if there were no cache (CACHE-01, RULE-35)', async (_, change) => {
    const root = temporaryProject({ 'tsconfig.json': '{}', ...SOURCES });
    const before = await reported(root);
    expect(await reported(root)).toBe(before);
    change(root);
    const after = await reported(root);
    expect(after).toBe(await reported(root, '--no-cache'));
    expect(after).not.toBe(before);
  });

  it('sees a config that another one extends change by itself (CACHE-01)', async () => {
    const base = (target: string) => `{ "compilerOptions": { "paths": { "#w": ["./src/${target}.ts"] } } }`;
    const root = temporaryProject({
      ...SOURCES,
      'src/use-words.ts': HELPER.replace('./words.ts', '#w'),
      'tsconfig.json': '{ "extends": "./base.json" }',
      'base.json': base('words'),
    });
    expect(await reported(root)).not.toContain('FLUE5005');
    addFiles(root, { 'base.json': base('nowhere') });
    expect(await reported(root)).toContain('FLUE5005');
  });

  it('sees git begin to track an environment file', async () => {
    const root = temporaryProject({ 'src/a.ts': AGENT, '.env': 'TOKEN=abc\n' });
    execFileSync('git', ['init', '-q'], { cwd: root });
    const before = await reported(root);
    expect(await reported(root)).toBe(before);
    execFileSync('git', ['add', '-f', '.env'], { cwd: root });
    expect(await reported(root)).toBe(await reported(root, '--no-cache'));
    expect(await reported(root)).not.toBe(before);
  });

  it('keeps apart what was asked in different ways', async () => {
    const root = temporaryProject(SOURCES);
    const asked = [[], ['--rule', 'FLUE2102=off'], ['--frozen'], ['--rule', 'FLUE2102=info']];
    for (const argv of asked)
      expect(await reported(root, ...argv)).toBe(await reported(root, ...argv, '--no-cache'));
    for (const argv of asked)
      expect(await reported(root, ...argv)).toBe(await reported(root, ...argv, '--no-cache'));
    expect(cacheFile(root, 'checks')).toHaveLength(4);
  });

  it('is no error where it cannot be written (CACHE-05)', async () => {
    const root = temporaryProject({ ...SOURCES, '.flue/cache': 'a file', '.flue/.gitignore': '*' });
    const plain = await reported(root, '--no-cache');
    expect(await reported(root)).toBe(plain);
    rmSync(join(root, '.flue/cache'));
    addFiles(root, { '.flue/cache/facts': 'a file', '.flue/cache/checks': 'a file' });
    expect(await reported(root)).toBe(plain);
  });

  it('parses again only the file that was edited, whoever imports it (CACHE-03, PERF-05)', async () => {
    const root = temporaryProject(SOURCES);
    expect(await parsedFor(root)).toHaveLength(5);
    expect(await parsedFor(root)).toEqual([]);
    addFiles(root, { 'src/words.ts': "export const WORDS = 'many';\n" });
    expect(await parsedFor(root)).toEqual(['src/words.ts']);
    addFiles(root, { 'src/use-words.ts': `${HELPER}// more\n`, 'src/words.ts': SOURCES['src/words.ts']! });
    expect(await parsedFor(root)).toEqual(['src/use-words.ts']);
  });

  it('leaves its files as they are when nothing changed (PERF-04)', async () => {
    const root = temporaryProject(SOURCES);
    await reported(root);
    const files = [...cacheFile(root, 'facts'), ...cacheFile(root, 'checks')];
    const stamps = files.map((file) => statSync(file).mtimeMs);
    await reported(root);
    expect([...cacheFile(root, 'facts'), ...cacheFile(root, 'checks')]).toEqual(files);
    expect(files.map((file) => statSync(file).mtimeMs)).toEqual(stamps);
  });

  it('serves flue generate, which then lowers nothing anew and writes the same bytes (PERF-07, CACHE-04)', async () => {
    const sources = {
      'src/a.ts': AGENT,
      'src/b.ts': SOURCES['src/b.ts']!.replace("useModel('offline/demo'); ", ''),
    };
    const files = { ...SOURCES, ...sources, 'flue.lock.json': '{"agents":{},"lockVersion":1}' };
    const [root, plain] = [temporaryProject(files), temporaryProject(files)];
    await reported(root);
    const [before] = cacheFile(root, 'facts');
    for (const place of [root, plain]) expect((await runFlue(place, ['generate'])).code).toBe(0);
    const [, after] = cacheFile(root, 'facts');
    // Only what it used is noted: facts that it had to find would be many times that.
    expect(statSync(after!).size).toBeLessThan(statSync(before!).size / 4);
    const bytes = (place: string) => readFileSync(join(place, '.flue/manifest.json'), 'utf8');
    expect(bytes(root)).toBe(bytes(plain));
    expect(readdirSync(join(plain, '.flue'))).not.toContain('cache');
  });

  it('serves flue generate again, which writes what it would write without, whatever schema changed (PERF-07, CACHE-03, CACHE-04)', async () => {
    const text = (type: string) => `import * as v from 'valibot';\nexport const Text = v.${type};\n`;
    const sources: Record<string, string> = {
      'src/a.ts': `'use agent';
import { useModel, useTool } from '@flue/runtime';
import * as v from 'valibot';
import { Text } from './schema.ts';
export function Desk() {
  useModel('offline/demo');
  useTool({ name: 'say', description: 'd', input: v.object({ text: Text }), output: v.object({ said: Text }), run: ({ data }) => ({ said: data.text }) });
}
Desk.initialData = v.object({ text: Text });
`,
      'src/schema.ts': text('string()'),
      // Enough of them for the agent and its schema to lie in parts of their own.
      ...Object.fromEntries(
        Array.from({ length: 40 }, (_, i) => [`src/between/m${i}.ts`, "import '@flue/runtime';\n"]),
      ),
    };
    const root = temporaryProject(sources);
    await reported(root);
    const generated = async (place: string, ...argv: string[]) => {
      const { code, stderr } = await runFlue(place, ['generate', ...argv]);
      expect(`${code} ${stderr}`).toContain('0 ');
      return ['manifest.json', 'client.ts', 'agents.ts', 'routes.ts', 'env.d.ts'].map((name) =>
        readFileSync(join(place, '.flue', name), 'utf8'),
      );
    };
    const texts = [];
    for (const type of ['string()', 'number()', 'optional(v.string())', 'string()']) {
      addFiles(root, { 'src/schema.ts': text(type) });
      const afresh = temporaryProject({ ...sources, 'src/schema.ts': text(type) });
      texts.push(await generated(root));
      expect(texts.at(-1)).toEqual(await generated(afresh));
      const packs = cacheFile(root, 'facts');
      rmSync(join(root, '.flue/client.ts'));
      expect(await generated(root)).toEqual(texts.at(-1));
      expect(cacheFile(root, 'facts')).toEqual(packs);
    }
    expect(texts[0]).toEqual(texts[3]);
    expect(texts[0]).not.toEqual(texts[1]);
    addFiles(root, { 'src/schema.ts': text('number()') });
    expect((await runFlue(root, ['generate', '--check'])).stdout).toContain('stale .flue/manifest.json');
  });

  it('serves several processes at once (CACHE-05)', async () => {
    const root = temporaryProject(SOURCES);
    const plain = await reported(root, '--no-cache');
    const reports = await Promise.all([1, 2, 3].map(() => reported(root)));
    expect(new Set([...reports, await reported(root)])).toEqual(new Set([plain]));
  });
});
