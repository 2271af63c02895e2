import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { memoryHost } from '../analysis/memory-host.ts';
import type { Module } from '../analysis/program.ts';
import { summarize } from '../analysis/summarize/summarize.ts';
import { temporaryProject } from '../testing/temporary-project.fixture.ts';
import { openFactStore } from './fact-store.ts';

const TEXT = `import { useTool } from '@flue/runtime';
export const useAsk = (name = 'ask', ...rest: string[]) => {
  if (rest.length > 0) useTool({ name, description: \`d\${name}\`, run: async () => ({ at: -0.5, none: null }) });
};
`;

function lowered(text: string, path = 'src/a.ts'): Module {
  const module = summarize(path, memoryHost(ts, { [path]: text }));
  if (!module) throw new Error('nothing was lowered');
  return module;
}

/** One run that knows or learns each of these texts; which it had to learn. */
function runOver(folder: string, texts: readonly string[], engine = 'this'): string[] {
  const store = openFactStore(folder, engine);
  const learned = texts.filter((text) => store.recallFacts('src/a.ts', text) === undefined);
  for (const text of learned) store.keepFacts('src/a.ts', text, lowered(text));
  store.save();
  return learned;
}

/** What lowering gives besides what the file itself says. */
function factsOf(text: string, path?: string) {
  const {
    path: _path,
    text: _text,
    lineStarts: _starts,
    resolutions: _resolutions,
    ...facts
  } = lowered(text, path);
  return facts;
}

const packs = (folder: string) => readdirSync(folder).map((name) => join(folder, name));

describe('facts on disk', () => {
  it('are what lowering the text again would give (CACHE-02)', () => {
    const folder = temporaryProject({});
    runOver(folder, [TEXT]);
    expect(openFactStore(folder, 'this').recallFacts('src/a.ts', TEXT)).toEqual(factsOf(TEXT));
  });

  it('are known by text, path and engine (CACHE-01)', () => {
    const folder = temporaryProject({});
    runOver(folder, [TEXT]);
    const store = openFactStore(folder, 'this');
    expect(store.recallFacts('src/a.ts', `${TEXT} `)).toBeUndefined();
    expect(store.recallFacts('src/a.tsx', TEXT)).toBeUndefined();
    expect(openFactStore(folder, 'another').recallFacts('src/a.ts', TEXT)).toBeUndefined();
  });

  it('are not kept where JSON would change a number (CACHE-04)', () => {
    const folder = temporaryProject({});
    const texts = [
      'export const a = 1e999;',
      'export const a = 1e9_99;',
      `export const a = 1${'0'.repeat(400)};`,
    ];
    runOver(folder, texts);
    expect(runOver(folder, texts)).toEqual(texts);
  });

  it('are ignored where a byte is damaged or missing, and written again (CACHE-05)', () => {
    const folder = temporaryProject({ 'facts/readme.txt': 'not ours' });
    const facts = join(folder, 'facts');
    runOver(facts, [TEXT]);
    const [pack] = packs(facts).filter((path) => path.endsWith('.facts'));
    const bytes = readFileSync(pack!);
    for (const at of [0, 12, 30, 60, 120, bytes.length - 1]) {
      const damaged = Buffer.from(bytes);
      damaged[at] = damaged[at]! ^ 1;
      for (const content of [damaged, bytes.subarray(0, at)]) {
        rmSync(facts, { recursive: true });
        mkdirSync(facts);
        writeFileSync(pack!, content);
        expect(runOver(facts, [TEXT]), `byte ${at}`).toEqual([TEXT]);
        expect(runOver(facts, [TEXT])).toEqual([]);
      }
    }
  });

  it('of a newer format are ignored (CACHE-05)', () => {
    const folder = temporaryProject({});
    runOver(folder, [TEXT]);
    const [pack] = packs(folder).filter((path) => path.endsWith('.facts'));
    writeFileSync(pack!, readFileSync(pack!, 'latin1').replace('flue-cache 1 ', 'flue-cache 2 '), 'latin1');
    expect(runOver(folder, [TEXT])).toEqual([TEXT]);
  });

  it('of two processes stand side by side (CACHE-05)', () => {
    const folder = temporaryProject({});
    const [one, other] = [openFactStore(folder, 'this'), openFactStore(folder, 'this')];
    one.keepFacts('src/a.ts', TEXT, lowered(TEXT));
    other.keepFacts('src/b.ts', TEXT, lowered(TEXT, 'src/b.ts'));
    one.save();
    other.save();
    const store = openFactStore(folder, 'this');
    expect(store.recallFacts('src/a.ts', TEXT)).toEqual(factsOf(TEXT));
    expect(store.recallFacts('src/b.ts', TEXT)).toEqual(factsOf(TEXT, 'src/b.ts'));
  });

  it('wait in a file until they are saved, and are all there then (CACHE-05, PERF-08)', () => {
    const folder = join(temporaryProject({}), 'facts');
    const bulk = lowered(`export const bulk = '${'x'.repeat(300_000)}';`);
    const texts = Array.from({ length: 8 }, (_, index) => `// ${index}`);
    const store = openFactStore(folder, 'this');
    for (const text of texts) store.keepFacts('src/a.ts', text, bulk);
    const waiting = packs(folder);
    expect(waiting).toEqual([expect.stringMatching(/\.tmp$/)]);
    expect(statSync(waiting[0]!).size).toBeGreaterThan(2_000_000);
    store.save();
    expect(packs(folder)).toEqual([expect.stringMatching(/\.facts$/)]);
    expect(runOver(folder, texts)).toEqual([]);
  });

  it('are lost, and nothing else, where the folder takes no file (CACHE-05)', () => {
    const root = temporaryProject({ facts: 'a file where the folder should be' });
    const bulk = lowered(`export const bulk = '${'x'.repeat(900_000)}';`);
    const store = openFactStore(join(root, 'facts'), 'this');
    for (const text of ['// 1', '// 2', '// 3']) store.keepFacts('src/a.ts', text, bulk);
    store.save();
    expect(readFileSync(join(root, 'facts'), 'utf8')).toBe('a file where the folder should be');
  });

  it('go when five full runs did not use them, and not before (CACHE-07)', () => {
    const folder = temporaryProject({});
    const old = 'export const old = 1;';
    const rare = 'export const rare = 1;';
    runOver(folder, [TEXT, old, rare]);
    for (let run = 0; run < 4; run++) expect(runOver(folder, [TEXT])).toEqual([]);
    // The fifth run after the first: used by that one, and so to be found.
    expect(runOver(folder, [TEXT, rare])).toEqual([]);
    const store = openFactStore(folder, 'this');
    expect(store.recallFacts('src/a.ts', old)).toBeUndefined();
    expect(store.recallFacts('src/a.ts', rare)).toEqual(factsOf(rare));
    expect(packs(folder).filter((path) => path.endsWith('.facts'))).toHaveLength(5);
  });

  it('stay under 64 MiB for up to a thousand agents, the latest first (CACHE-07)', () => {
    const folder = temporaryProject({});
    const bulk = lowered(`export const bulk = '${'x'.repeat(900_000)}';`);
    const textsOf = (run: number) => Array.from({ length: 30 }, (_, index) => `// ${run} ${index}`);
    for (let run = 0; run < 4; run++) {
      const store = openFactStore(folder, 'this');
      for (const text of textsOf(run)) store.keepFacts('src/a.ts', text, bulk);
      store.save();
      const size = packs(folder).reduce((sum, path) => sum + statSync(path).size, 0);
      expect(size).toBeLessThanOrEqual(64 * 1024 * 1024);
    }
    const store = openFactStore(folder, 'this');
    expect(textsOf(3).filter((text) => store.recallFacts('src/a.ts', text) === undefined)).toEqual([]);
  });
});
