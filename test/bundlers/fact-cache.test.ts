import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadProject, openCompiler } from '@flue/compiler';
import flue from '@flue/unplugin/vite';
import { build } from 'vite';
import { expect, it } from 'vitest';
import { createProject } from '../support/project.ts';

const agent = (name: string, instruction: string) => `'use agent';
import { useModel } from '@flue/runtime';
import { say } from './say.ts';
export function ${name}() {
  useModel('offline/demo');
  return say('${instruction}');
}
`;

it('a build knows the files that an earlier one has read, and gives what it would give without (CACHE-01, CACHE-04)', async () => {
  const project = createProject({
    'src/app.ts': "import { Hono } from 'hono';\nexport default new Hono();\n",
    'src/a.ts': agent('Answers', 'Answer.'),
    'src/b.ts': agent('Asks', 'Ask.'),
    'src/say.ts': 'export const say = (text: string) => text.trim();\n',
  });
  try {
    const first = await serverOf(project.root);
    expect(await serverOf(project.root)).toEqual(first);
    // Each run that looks at modules leaves a pack; nothing changed, so the second one looked at none.
    expect(learned(project.root)).toEqual([expect.any(Number)]);
    expect(learned(project.root)[0]).toBeGreaterThanOrEqual(3);
    const checks = join(project.root, '.flue/cache/checks');
    rmSync(checks, { recursive: true });
    expect(await serverOf(project.root)).toEqual(first);
    // What a run learns goes into a pack of its own, so one that knew all texts has written no facts.
    expect(learned(project.root)).toEqual([expect.any(Number), 0]);

    project.write({ 'src/b.ts': agent('Asks', 'Ask again.') });
    const edited = await serverOf(project.root);
    expect(edited).not.toEqual(first);
    // Its own facts, and what is found, asked and described of the part that it lies in.
    expect(learned(project.root).at(-1)).toBe(4);

    const { project: loaded } = await loadProject({ root: project.root });
    const cacheFolder = join(project.root, '.flue/cache');
    expect((await openCompiler(loaded, { cacheFolder })).compile().parsed).toEqual([]);
  } finally {
    project.remove();
  }
}, 60_000);

/** Server and manifest of one build. */
async function serverOf(root: string): Promise<Record<string, string>> {
  await build({ root, logLevel: 'silent', configFile: false, plugins: [flue()] });
  const read = (name: string) => readFileSync(join(root, 'dist', name), 'utf8');
  return { server: read('server.mjs'), manifest: read('manifest.json') };
}

/** How many facts and results each run has learned, the oldest run first. */
function learned(root: string): number[] {
  const folder = join(root, '.flue/cache/facts');
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const bytes = readFileSync(join(folder, name));
      const start = bytes.indexOf('\n') + 1;
      const length = Number(bytes.subarray(0, start).toString().split(' ')[2]);
      const { index } = JSON.parse(bytes.subarray(start, start + length).toString()) as { index: unknown[] };
      return index.length;
    });
}

it('a build in which nothing changed fails with what the one before failed with (CACHE-04, PERF-14)', async () => {
  const project = createProject({
    'src/app.ts': "import { Hono } from 'hono';\nexport default new Hono();\n",
    'src/a.ts': agent('Answers', 'Answer.').replace(
      "useModel('offline/demo');",
      "useModel('offline/demo'); useModel('offline/demo');",
    ),
    'src/say.ts': 'export const say = (text: string) => text.trim();\n',
  });
  const failure = () => serverOf(project.root).then(String, String);
  try {
    const first = await failure();
    expect(first).toMatch(/FLUE2102.*\n(?:.*\n)*.*useModel\('offline\/demo'\)/);
    expect(await failure()).toBe(first);
    expect(learned(project.root)).toHaveLength(1);
    project.write({ 'src/a.ts': agent('Answers', 'Answer.') });
    expect(await serverOf(project.root)).toHaveProperty('manifest');
  } finally {
    project.remove();
  }
}, 60_000);
