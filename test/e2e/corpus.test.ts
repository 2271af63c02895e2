import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadProject, openCompiler } from '@flue/compiler';
import { describe, expect, it, onTestFinished } from 'vitest';
import { corpus } from '../support/corpus.ts';
import { createProject } from '../support/project.ts';

const AGENTS = 24;

function writtenCorpus(more: Readonly<Record<string, string>> = {}) {
  const project = createProject({ ...corpus({ agents: AGENTS, sharing: 6 }), ...more });
  onTestFinished(project.remove);
  return project;
}

describe('the corpus of the performance targets', { timeout: 60_000 }, () => {
  it('has nothing that a rule objects to (PERF-15)', async () => {
    const { project } = await loadProject({ root: writtenCorpus().root });
    const { diagnostics, failures, modules, agents } = (await openCompiler(project)).compile({
      surroundings: { frozen: false },
    });
    expect([diagnostics, failures]).toEqual([[], []]);
    expect([modules.length, agents.length]).toEqual([3 * AGENTS + 1, AGENTS]);
  });

  it('is parsed again only where it was edited, be it a tool or a hook of many agents (PERF-05, PERF-06)', async () => {
    const written = writtenCorpus();
    const { project } = await loadProject({ root: written.root });
    const compiler = await openCompiler(project);
    expect(compiler.compile().parsed).toHaveLength(3 * AGENTS + 1);
    expect(compiler.compile().parsed).toEqual([]);
    for (const path of ['src/tools/tool-7.ts', 'src/hooks/use-shared.ts']) {
      appendFileSync(written.path(path), '// edited\n');
      compiler.changed([path]);
      expect(compiler.compile().parsed).toEqual([path]);
    }
  });

  it('costs no parse for the files around it that are none of ours (PERF-01)', async () => {
    const others = Array.from({ length: 200 }, (_, i) => [
      `src/other/file-${i}.ts`,
      `export const a = ${i};\n`,
    ]);
    const { project } = await loadProject({ root: writtenCorpus(Object.fromEntries(others)).root });
    const { parsed, modules } = (await openCompiler(project)).compile();
    expect(parsed).toHaveLength(3 * AGENTS + 1);
    expect(modules.some(({ path }) => path.startsWith('src/other/'))).toBe(false);
  });

  it('takes time and memory by what is marked, not by what lies around it (PC-009)', async () => {
    const text = `export const text = ${JSON.stringify('word '.repeat(800))};\n`;
    const measured = [];
    for (const around of [1000, 5000]) {
      const others = Array.from({ length: around }, (_, i) => [
        `src/other/${i % 50}/file-${i}.ts`,
        `${text}// ${i}\n`,
      ]);
      const { root } = createProjectOf({
        ...corpus({ agents: 10, sharing: 2 }),
        ...Object.fromEntries(others),
      });
      const { project } = await loadProject({ root });
      const before = heap();
      const cpu = process.cpuUsage();
      const compiler = await openCompiler(project);
      const { parsed } = compiler.compile();
      const { user, system } = process.cpuUsage(cpu);
      measured.push({ parsed: parsed.length, heap: heap() - before, seconds: (user + system) / 1e6 });
      // What it holds has to be alive while that is measured.
      expect(compiler.compile().parsed).toEqual([]);
    }
    const [few, many] = measured as [Measured, Measured];
    expect([few.parsed, many.parsed]).toEqual([31, 31]);
    // 16 MB more text lie around, of which no more than the names are kept.
    expect(many.heap - few.heap).toBeLessThan(8 * 1024 * 1024);
    expect(many.seconds).toBeLessThan(20);
  });
});

interface Measured {
  readonly parsed: number;
  readonly heap: number;
  readonly seconds: number;
}

function createProjectOf(files: Readonly<Record<string, string>>) {
  const project = createProject(files);
  onTestFinished(project.remove);
  return project;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
function heap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
