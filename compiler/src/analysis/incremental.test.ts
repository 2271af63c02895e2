import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { type Analysis, type AnalysisOptions, analyse } from './analyse.ts';
import type { ResultMemory } from './compose/part-memory.ts';
import { memoryHost } from './memory-host.ts';
import type { Module } from './program.ts';
import { readExamples } from './rules/examples.test.kit.ts';

const RULES = join(dirname(fileURLToPath(import.meta.url)), 'rules');

/** Every example of several files, each in a folder of its own: modules that lean on each other in all ways rules know. */
function entangledFiles(): Record<string, string> {
  const files: Record<string, string> = {};
  for (const rule of readdirSync(RULES)) {
    if (!existsSync(join(RULES, rule, 'examples'))) continue;
    for (const example of readExamples(join(RULES, rule, 'examples'))) {
      const sources = Object.entries(example.files).filter(([path]) => /\.[cm]?[jt]sx?$/.test(path));
      if (sources.length < 2) continue;
      for (const [path, text] of sources) files[`${rule}-${example.name}/${path}`] = text;
    }
  }
  return { ...files, ...CHAIN };
}

/** Hooks, names, tools and delegates that reach an agent through several files. */
const CHAIN: Readonly<Record<string, string>> = {
  'chain/names.ts': "export const CARD = 'card';\nexport const TOOL = 'Bad Name';\n",
  'chain/base.ts': `import { useModel } from '@flue/runtime';
export function useBase(name: string) { useModel(name); }
`,
  'chain/hooks.ts': `import { useDataWriter, useDelivery } from '@flue/runtime';
import { useBase } from './base.ts';
import { CARD } from './names.ts';
export function useCard() {
  useBase('openai/gpt-5');
  if (useDelivery().kind === 'user') useDataWriter(CARD);
}
export const apply = (run: () => void) => run();
`,
  'chain/make-tool.ts': `import { defineTool } from '@flue/runtime';
export const makeTool = (name: string) => defineTool({ name, description: 'd', run() {} });
`,
  'zz-far/delegate.ts': `import { usePersistentState } from '@flue/runtime';
export function Helper() { usePersistentState('n', 0); return 'x'; }
export function useWrong() { Helper(); }
`,
  'chain/agent.ts': `'use agent';
import { useDataWriter, useModel, useSubagent, useTool } from '@flue/runtime';
import { apply, useCard } from './hooks.ts';
import { Helper } from '../zz-far/delegate.ts';
import { makeTool } from './make-tool.ts';
import { TOOL } from './names.ts';
export function Agent() {
  useCard();
  apply(() => useModel('openai/gpt-5'));
  const write = useDataWriter('card');
  apply(() => write({}));
  useTool(makeTool(TOOL));
  useSubagent({ name: 's', description: 'd', agent: Helper });
}
`,
  'chain/other.ts': `'use agent';
import { useCard } from './hooks.ts';
export function Other() { useCard(); }
`,
};

/** Edits one file after the other and analyses after each. */
function editor(files: Record<string, string>) {
  const host = memoryHost(ts, files);
  let latest: Analysis = analyse(Object.keys(files), host);
  const known = () => new Map(latest.lowered.map((module) => [module.path, module]));
  return {
    write(path: string, text: string): Analysis {
      files[path] = text;
      const unchanged = known();
      unchanged.delete(path);
      latest = analyse(Object.keys(files), host, { known: unchanged, before: latest });
      return latest;
    },
    afresh: () => analyse(Object.keys(files), host, { known: known() }),
  };
}

/** As a cache on disk is: it holds text. */
function resultMemory(kept = new Map<string, string>()): ResultMemory {
  return {
    digest: (content) => createHash('sha256').update(content).digest('hex'),
    recall: (key) => kept.get(key),
    keep: (key, result) => void kept.set(key, result),
  };
}

/** The same numbers on every machine. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

function results({ diagnostics, agents, modules, failures }: Analysis): string {
  return JSON.stringify({ diagnostics, agents, modules, failures });
}

describe('an analysis after an edit', { timeout: 120_000 }, () => {
  it('gives what one from scratch gives, whatever is emptied, restored or moved (CACHE-03, CACHE-04)', () => {
    const files = entangledFiles();
    const paths = Object.keys(files);
    expect(paths.length).toBeGreaterThan(40);
    const session = editor(files);
    for (const [index, path] of paths.entries()) {
      const text = files[path]!;
      const after = session.write(
        path,
        index % 3 === 0 && !(path in CHAIN) ? `/* moved\ndown */\n${text}` : '',
      );
      if (index % 2 === 0 || path in CHAIN) expect(results(after), path).toBe(results(session.afresh()));
      session.write(path, text);
    }
    expect(results(session.write(paths[0]!, files[paths[0]!]!))).toBe(results(session.afresh()));
  });

  it('looks anew only at what the edit concerns (CACHE-03)', () => {
    const files: Record<string, string> = {};
    for (let i = 100; i < 200; i++) {
      const hook = i % 2 === 0 ? 'useEven' : 'useOdd';
      files[`src/agent-${i}.ts`] = `'use agent';
import { useModel } from '@flue/runtime';
import { ${hook} } from './hooks/${hook}.ts';
export function Agent${i}() { useModel('a/b'); ${hook}(); }
`;
    }
    for (const hook of ['useEven', 'useOdd'])
      files[`src/hooks/${hook}.ts`] =
        `import { useInstruction } from '@flue/runtime';\nexport function ${hook}() { useInstruction('x'); }\n`;
    const session = editor(files);
    const start = session.write('src/agent-100.ts', files['src/agent-100.ts']!);

    const edited = session.write('src/agent-111.ts', `${files['src/agent-111.ts']}// more\n`);
    const kept = edited.project.parts.filter((part) => start.project.parts.includes(part));
    expect(kept.length).toBe(edited.project.parts.length - 1);

    const hooked = session.write('src/hooks/useOdd.ts', `${files['src/hooks/useOdd.ts']}// more\n`);
    const even = hooked.agents.filter(({ identity }) => Number(identity.slice(5)) % 2 === 0);
    expect(even.length).toBe(50);
    for (const fact of even) expect(edited.agents).toContain(fact);
    expect(hooked.agents.filter((fact) => edited.agents.includes(fact))).toEqual(even);
  });

  it('forgets what rested on other settings', () => {
    const files = { 'src/a.ts': "'use agent';\nexport function Agent() {}\n" };
    const host = memoryHost(ts, files);
    const before = analyse(Object.keys(files), host);
    const known = new Map(before.lowered.map((module) => [module.path, module]));
    expect(before.diagnostics.map(({ code }) => code)).toEqual(['FLUE2101']);
    const silenced = analyse(Object.keys(files), host, { known, before, severities: { FLUE2101: 'off' } });
    expect(silenced.diagnostics).toEqual([]);
    const raised = analyse(Object.keys(files), host, { known, before, severities: { FLUE2101: 'hint' } });
    expect(raised.diagnostics.map(({ severity }) => severity)).toEqual(['hint']);
  });
});

describe('an analysis of facts that were kept', () => {
  it('gives what one of the sources gives, and parses nothing (CACHE-02, CACHE-04)', () => {
    const files = entangledFiles();
    const host = memoryHost(ts, files);
    const kept = new Map<string, string>();
    const memory: NonNullable<AnalysisOptions['memory']> = {
      ...resultMemory(),
      recallFacts: (path, text) => {
        const facts = kept.get(`${path} ${text}`);
        return facts === undefined ? undefined : JSON.parse(facts);
      },
      keepFacts(path, text, module) {
        const { path: at, text: of, lineStarts, resolutions, ...facts } = module as Module;
        kept.set(`${path} ${text}`, JSON.stringify(facts));
      },
    };
    const fresh = analyse(Object.keys(files), host, { memory });
    expect(fresh.parsed.length).toBe(fresh.lowered.length);
    const again = analyse(Object.keys(files), host, { memory });
    expect(again.parsed).toEqual([]);
    expect(fresh.diagnostics.length).toBeGreaterThan(20);
    expect(results(again)).toBe(results(fresh));
    expect(results(again)).toBe(results(analyse(Object.keys(files), host)));
  });
});

describe('an analysis that knows what earlier ones found', { timeout: 120_000 }, () => {
  const withMemory = (files: Record<string, string>, kept: Map<string, string>) => {
    const none = { recallFacts: () => undefined, keepFacts: () => {} };
    const memory = { ...none, ...resultMemory(kept) };
    return analyse(Object.keys(files), memoryHost(ts, files), { memory });
  };
  const without = (files: Record<string, string>) => analyse(Object.keys(files), memoryHost(ts, files));

  it('gives what one gives that knows nothing, whatever is edited, renamed, added or forgotten (CACHE-03, CACHE-04)', () => {
    const files = entangledFiles();
    const texts = Object.values(files);
    const kept = new Map<string, string>();
    const next = randomNumbers(7);
    const pick = <T>(list: readonly T[]): T => list[next(list.length)]!;
    const edits: Record<string, (path: string) => void> = {
      move: (path) => (files[path] = `/* moved\ndown */\n${files[path]}`),
      empty: (path) => (files[path] = ''),
      replace: (path) => (files[path] = pick(texts)),
      add: (path) => (files[path.replace(/\/[^/]*$/, `/new-${next(1000)}.ts`)] = pick(texts)),
      rename(path) {
        files[path.replace(/(\.\w+)$/, '-renamed$1')] = files[path]!;
        delete files[path];
      },
      remove: (path) => delete files[path],
    };
    expect(results(withMemory(files, kept))).toBe(results(without(files)));
    for (const [path, text] of Object.entries(CHAIN)) {
      files[path] = '';
      expect(results(withMemory(files, kept)), path).toBe(results(without(files)));
      files[path] = text;
    }
    for (let step = 0; step < 60; step++) {
      const [name, edit] = pick(Object.entries(edits));
      edit(pick(Object.keys(files)));
      for (const key of [...kept.keys()]) if (next(20) === 0) kept.delete(key);
      expect(results(withMemory(files, kept)), `${step} ${name}`).toBe(results(without(files)));
    }
  });

  it('finds anew only what the edit concerns (CACHE-03)', () => {
    const files = entangledFiles();
    const kept = new Map<string, string>();
    withMemory(files, kept);
    const before = kept.size;
    withMemory(files, kept);
    expect(kept.size).toBe(before);
    files['chain/names.ts'] += '// more\n';
    const { project } = withMemory(files, kept);
    const concerned = ['chain/names.ts', 'chain/hooks.ts', 'chain/agent.ts', 'chain/other.ts'];
    const parts = project.parts.filter(({ modules }) => modules.some(({ path }) => concerned.includes(path)));
    // Findings and agents of each.
    expect(kept.size - before).toBe(2 * parts.length);
    expect(parts.length).toBeLessThan(project.parts.length / 3);
  });
});
