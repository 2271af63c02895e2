import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { loadProject, openCompiler } from '@flue/compiler';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { corpus, randomNumbers } from '../support/corpus.ts';
import { createProject, type Project } from '../support/project.ts';
import { system, windowsPath } from '../support/windows.ts';

vi.mock('node:path', async (load) => (await import('../support/windows.ts')).pathOf(await load()));
vi.mock('node:fs', async (load) => (await import('../support/windows.ts')).fsOf(await load()));

const RUNS = 20;
const files = corpus({ agents: 4, sharing: 2 });

let project: Project;
afterEach(() => {
  system.isWindows = false;
  system.order = (entries) => entries;
  project.remove();
});

/** How one generation differs from another. */
interface Circumstances {
  readonly root: string;
  readonly cacheFolder: string | undefined;
}

async function generate({ root, cacheFolder }: Circumstances): Promise<Record<string, string>> {
  const { project } = await loadProject({ root });
  expect(project.root.startsWith('C:\\')).toBe(system.isWindows);
  const compiler = await openCompiler(project, { cacheFolder });
  const outputs = Object.fromEntries(compiler.compile().outputs());
  compiler.saveFacts();
  return outputs;
}

describe('what is generated of the reference corpus', () => {
  it(`is the same bytes ${RUNS} times, whatever the order of directories, the cache, the line ends and the system (DET-01, DET-03, DET-05, DET-08)`, async () => {
    project = createProject(files);
    const expected = await generate({ root: project.root, cacheFolder: undefined });
    expect(Object.keys(expected).length).toBeGreaterThanOrEqual(4);
    const draw = randomNumbers(8);
    const shuffled = <T>(items: readonly T[]): T[] =>
      items
        .map((item) => [draw(1 << 20), item] as const)
        .sort(([a], [b]) => a - b)
        .map(([, item]) => item);
    const cased = (path: string) =>
      [...path].map((char) => (draw(2) ? char.toUpperCase() : char.toLowerCase())).join('');

    for (let run = 0; run < RUNS; run++) {
      project.remove();
      project = createProject({});
      for (const [file, text] of shuffled(Object.entries(files))) {
        const ends = ['\n', '\r\n', '\r'][draw(3)]!;
        mkdirSync(dirname(project.path(file)), { recursive: true });
        writeFileSync(project.path(file), `${draw(2) ? '\uFEFF' : ''}${text.replaceAll('\n', ends)}`);
      }
      system.order = shuffled;
      system.isWindows = run % 2 === 1;
      const root = system.isWindows ? cased(windowsPath(project.root)) : project.root;
      const cacheFolder = run % 5 < 2 ? `${root}/.cache` : undefined;
      const cold = await generate({ root, cacheFolder });
      expect(cold, `run ${run}`).toEqual(expected);
      if (run % 5 === 0) expect(await generate({ root, cacheFolder }), `run ${run}, warm`).toEqual(expected);
      system.isWindows = false;
    }
  }, 240_000);

  it('is the same in three processes at once, which share a cache (CACHE-05, DET-08)', async () => {
    project = createProject(files);
    const cacheFolder = project.path('.cache');
    const expected = JSON.stringify(await generate({ root: project.root, cacheFolder: undefined }));
    const told = await Promise.all(Array.from({ length: 3 }, () => generateApart(project.root, cacheFolder)));
    expect(new Set(told)).toEqual(new Set([expected]));
  }, 120_000);
});

const APART = `import { loadProject, openCompiler } from '@flue/compiler';
const [root, cacheFolder] = process.argv.slice(1);
const compiler = await openCompiler((await loadProject({ root })).project, { cacheFolder });
process.stdout.write(JSON.stringify(Object.fromEntries(compiler.compile().outputs())));
compiler.saveFacts();`;

/** What a process of its own generates, as JSON. */
async function generateApart(root: string, cacheFolder: string): Promise<string> {
  const options = ['--conditions=flue-source', '--import', 'tsx', '--input-type=module', '--eval', APART];
  const child = spawn(process.execPath, [...options, root, cacheFolder], {
    cwd: new URL('..', import.meta.url),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  await once(child, 'close');
  return text;
}
