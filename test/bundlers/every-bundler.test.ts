import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { createProject, type Project } from '../support/project.ts';
import { converse, startServer } from '../support/server.ts';
import { readStream } from '../support/stream.ts';
import { bundlers } from './support/bundlers.ts';
import { deskProject } from './support/desk-project.ts';

let project: Project;
afterEach(() => project.remove());

describe.each(Object.entries(bundlers))('a build by %s', (_, bundle) => {
  it('gives a server of all agents, with their identities, whatever it renames (BIND-01, BIND-11, EMIT-10, EMIT-11, PC-005)', async () => {
    project = createProject(deskProject);
    await bundle({ root: project.root, entry: 'virtual:flue/server', minify: true });
    const manifest = JSON.parse(readFileSync(project.path('dist/manifest.json'), 'utf8'));
    expect(manifest.agents.map(({ identity }: { identity: string }) => identity)).toEqual([
      'OrderDesk',
      'front-door',
    ]);
    const database = project.path('data.db');
    const server = await startServer(project.path('dist/server.mjs'), { FLUE_DB: database });
    try {
      const answer = await converse(`${server.url}/desk/1`, { kind: 'user', body: 'Where is order 1042?' });
      expect(answer).toMatchObject({ reply: { text: expect.stringContaining('on a ship') } });
      await converse(`${server.url}/door/1`, { kind: 'user', body: 'Hello' });
    } finally {
      await server.stop();
    }
    expect(await readStream(database, 'agents/OrderDesk/1')).not.toHaveLength(0);
    expect(await readStream(database, 'agents/front-door/1')).not.toHaveLength(0);
  }, 30_000);

  it('says the same in each: one call after what is authored, by the name that the module has for it (BIND-02, BIND-11)', async () => {
    project = createProject(deskProject);
    await bundle({ root: project.root, entry: project.path('src/agents/local.ts') });
    const text = readFileSync(project.path('dist/server.mjs'), 'utf8').replace(/\s+/g, ' ');
    expect(text).toContain('(Greeter, { identity: "front-door" });');
  }, 30_000);

  it('keeps what only a static or a nested callback uses, and the agent renders as its source does (BIND-05, PC-010, PC-073)', async () => {
    project = createProject({
      ...deskProject,
      'src/limits.ts': 'export const attempts = 2;\nexport const words = 12;\n',
      'src/agents/wordy.ts': `'use agent';
import { useInstruction, useModel } from '@flue/runtime';
import { attempts, words } from '../limits.ts';
export function Wordy() {
  useModel('offline/demo');
  ['short', 'plain'].forEach((how) => useInstruction(\`Be \${how}, in \${words} words.\`));
  return 'Write.';
}
Wordy.durability = { maxAttempts: attempts };
`,
      'entry.ts': `import { renderAgent } from '@flue/runtime/testing';
import { Wordy } from './src/agents/wordy.ts';
const { instructions, model } = renderAgent(Wordy, { id: '1' });
console.log(JSON.stringify([instructions, model, Wordy.durability]));
`,
    });
    const source = output('entry.ts');
    await bundle({ root: project.root, entry: project.path('entry.ts'), minify: true });
    expect(output('dist/server.mjs')).toBe(source);
    expect(source).toContain('in 12 words');
    expect(source).toContain('{"maxAttempts":2}');
  }, 60_000);

  it('fails for an import that leads nowhere, with the file and the specifier (PC-014)', async () => {
    project = createProject({
      ...deskProject,
      'src/tools/lookup.ts': `import './gone.ts';\n${deskProject['src/tools/lookup.ts']}`,
    });
    const building = bundle({ root: project.root, entry: 'virtual:flue/server' });
    await expect(building).rejects.toThrow(/gone\.ts/);
    await expect(building).rejects.toThrow(/lookup\.ts/);
  }, 60_000);
});

/** Rollup builds for whatever its output is loaded by, and is told of nothing. */
const { rollup: _, ...forPlatforms } = bundlers;

describe.each(Object.entries(forPlatforms))('a build for browsers by %s', (_, bundle) => {
  const page = { root: '', entry: '', platform: 'browser' } as const;

  it('fails where it reaches an agent module, with the imports that lead there (BIND-09)', async () => {
    project = createProject({
      ...deskProject,
      'src/web/main.ts': "import { title } from './title.ts';\nconsole.log(title);\n",
      'src/web/title.ts':
        "import { OrderDesk } from '../agents/desk.ts';\nexport const title = OrderDesk.name;\n",
    });
    const built = bundle({ ...page, root: project.root, entry: project.path('src/web/main.ts') });
    await expect(built).rejects.toThrow('src/web/main.ts -> src/web/title.ts -> src/agents/desk.ts');
  }, 30_000);

  it('may import the types of one (BIND-09)', async () => {
    project = createProject({
      ...deskProject,
      'src/web/main.ts':
        "import type { OrderDesk } from '../agents/desk.ts';\nconsole.log('of' satisfies keyof { of: typeof OrderDesk });\n",
    });
    await bundle({ ...page, root: project.root, entry: project.path('src/web/main.ts') });
    expect(readFileSync(project.path('dist/server.mjs'), 'utf8')).not.toContain('identity');
  }, 30_000);
});

const { vite, webpack, rspack, esbuild } = bundlers;

describe('an id with a query', () => {
  it.each(Object.entries({ webpack, rspack, esbuild }))(
    'is another module, and stays as it is, in %s (BIND-09, PC-021)',
    async (_, bundle) => {
      project = createProject({
        ...deskProject,
        'entry.ts':
          "import { OrderDesk } from './src/agents/desk.ts';\nimport { OrderDesk as Twin } from './src/agents/desk.ts?twin';\nconsole.log(OrderDesk, Twin);\n",
      });
      await bundle!({ root: project.root, entry: project.path('entry.ts') });
      const text = readFileSync(project.path('dist/server.mjs'), 'utf8');
      expect(text.match(/Answer about orders/g)).toHaveLength(2);
      expect(text.match(/\{\s*identity: "OrderDesk"\s*\}/g)).toHaveLength(1);
    },
    30_000,
  );

  it('is the text of the file in Vite, as its author wrote it (BIND-09)', async () => {
    project = createProject({
      ...deskProject,
      'entry.ts': "import text from './src/agents/desk.ts?raw';\nprocess.stdout.write(text);\n",
    });
    await vite!({ root: project.root, entry: project.path('entry.ts') });
    expect(output('dist/server.mjs')).toBe(deskProject['src/agents/desk.ts']);
  }, 30_000);
});

describe("a bundler's own cache", () => {
  it.each(Object.entries({ webpack, rspack }))(
    'skips what %s has built, and the registration is complete (BIND-11)',
    async (_, bundle) => {
      project = createProject({
        ...deskProject,
        'entry.ts':
          "import { agents } from 'virtual:flue/agents';\nconsole.log(agents.map(({ identity, agent }) => `${identity} ${typeof agent}`).join());\n",
      });
      const build = { root: project.root, entry: project.path('entry.ts'), cache: project.path('cache') };
      await bundle!(build);
      expect(output('dist/server.mjs')).toBe('OrderDesk function,front-door function\n');
      project.write({ 'src/agents/late.ts': deskProject['src/agents/desk.ts'].replace('OrderDesk', 'Late') });
      const built = await bundle!(build);
      expect(built ?? []).not.toContain(project.path('src/agents/desk.ts'));
      expect(output('dist/server.mjs')).toBe('Late function,OrderDesk function,front-door function\n');
    },
    30_000,
  );
});

/** What the built program prints. */
function output(file: string): string {
  const options = ['--conditions=flue-source', '--import', 'tsx'];
  const { stdout, stderr, status } = spawnSync(process.execPath, [...options, project.path(file)], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
