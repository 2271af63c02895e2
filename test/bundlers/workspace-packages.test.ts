import { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import flue from '@flue/unplugin/vite';
import { build, createServer, type InlineConfig } from 'vite';
import { afterEach, describe, expect, it } from 'vitest';
import { createProject, type Project } from '../support/project.ts';
import { converse, startServer } from '../support/server.ts';
import { bundlers } from './support/bundlers.ts';
import { deskProject } from './support/desk-project.ts';

/*
 * Packages laid out as a strict installer does: each sees what it declares and nothing else. The application is
 * `apps/shop`; it declares `@x/kit`, a package of the workspace, which declares two more: `native-store`, which has native
 * code, so that the application declares it as well, and `words`, which only the kit sees.
 */

const installed = fileURLToPath(new URL('../../node_modules', import.meta.url));

let project: Project;
afterEach(() => project.remove());

function link(from: string, to: string): void {
  const place = project.path(from);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(to, place, 'dir');
}

function strict(files: Readonly<Record<string, string>>, folder = ''): void {
  project = createProject(files);
  if (lstatSync(project.path('node_modules')).isSymbolicLink()) rmSync(project.path('node_modules'));
  for (const name of ['@flue/runtime', 'hono', 'valibot'])
    link(join(folder, 'node_modules', name), realpathSync(join(installed, name)));
}

const skill = `---
name: returns
description: How returns work.
---
Ask for the number first.
`;

const shop = {
  'apps/shop/package.json': JSON.stringify({
    name: 'shop',
    type: 'module',
    dependencies: { '@flue/runtime': '*', hono: '*', valibot: '*', '@x/kit': '*', 'native-store': '*' },
  }),
  'apps/shop/src/agents/desk.ts': `'use agent';
import { useModel, useSkill, useTool } from '@flue/runtime';
import { count } from '@x/kit';
import returns from '@x/kit/skills/returns/SKILL.md';

export function Desk() {
  useModel('offline/demo');
  useSkill(returns);
  useTool({ name: 'count_orders', description: 'Counts the orders.', run: () => ({ orders: count() }) });
  return 'Answer about orders.';
}
`,
  'apps/shop/src/app.ts': `import { createAgentRouter } from '@flue/runtime/routing';
import { Hono } from 'hono';
import { Desk } from './agents/desk.ts';

const app = new Hono();
app.route('/desk', createAgentRouter(Desk));
export default app;
`,
  'packages/kit/package.json': JSON.stringify({
    name: '@x/kit',
    type: 'module',
    exports: { '.': './src/index.ts', './skills/*': './skills/*' },
    dependencies: { 'native-store': '*', words: '*' },
  }),
  'packages/kit/src/index.ts': `import Store from 'native-store';
import word from 'words';
export function count(): string {
  return word((new Store(':memory:').prepare('SELECT 40 + 2 AS n').get() as { n: number }).n);
}
`,
  'packages/kit/node_modules/words/package.json': '{ "name": "words", "main": "index.js" }',
  'packages/kit/node_modules/words/index.js': 'module.exports = (n) => `${n} in words`;\n',
  'packages/kit/skills/returns/SKILL.md': skill,
};

/** The workspace; `native-store` is a package with native code. */
function workspace(more: Readonly<Record<string, string>> = {}): InlineConfig {
  strict({ ...shop, ...more }, 'apps/shop');
  link('apps/shop/node_modules/@x/kit', project.path('packages/kit'));
  for (const owner of ['packages/kit', 'apps/shop'])
    link(`${owner}/node_modules/native-store`, realpathSync(join(installed, 'better-sqlite3')));
  return { root: project.path('apps/shop'), logLevel: 'silent', configFile: false, plugins: [flue()] };
}

function builtText(): string {
  const dist = project.path('apps/shop/dist');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.mjs'),
  );
  return files.map((file) => readFileSync(join(dist, file), 'utf8')).join('\n');
}

/** What two questions to the built server are answered with. */
async function answers(): Promise<string[]> {
  const server = await startServer(project.path('apps/shop/dist/server.mjs'));
  try {
    const say = async (body: string) => {
      const { reply } = await converse(`${server.url}/desk/1`, { kind: 'user', body });
      return (reply as { text: string }).text;
    };
    return [await say('Use activate_skill with name: returns'), await say('Use count_orders')];
  } finally {
    await server.stop();
  }
}

describe('a package of the workspace', () => {
  it('with a skill behind its exports and dependencies of its own, one of them native, is the same in development, in a build and at run time (PC-002, PC-016)', async () => {
    const config = workspace();
    const server = await createServer({ ...config, server: { middlewareMode: true, ws: false } });
    try {
      const { default: loaded } = await server.ssrLoadModule('@x/kit/skills/returns/SKILL.md');
      expect(loaded).toMatchObject({ name: 'returns' });
      const { Desk } = await server.ssrLoadModule('/src/agents/desk.ts');
      expect(Desk.name).toBe('Desk');
      const { count } = await server.ssrLoadModule('@x/kit');
      expect(count()).toBe('42 in words');
    } finally {
      await server.close();
    }
    await build(config);
    const manifest = JSON.parse(readFileSync(project.path('apps/shop/dist/manifest.json'), 'utf8'));
    expect(manifest.skills).toMatchObject([{ name: 'returns' }]);
    const [briefing, counted] = await answers();
    expect(briefing).toContain('Ask for the number first.');
    expect(counted).toContain('42 in words');
  }, 90_000);

  it('is bundled or not as the application says, and so is what it depends on, which nobody loads to see (PC-012, PC-015)', async () => {
    const config = workspace({
      'packages/kit/node_modules-ext/index.js': "throw new Error('loaded by the build');\n",
      'packages/kit/node_modules-ext/package.json': '{ "name": "explosive", "main": "index.js" }',
      // Plain JavaScript, which a server can load as it is.
      'packages/kit/package.json': shop['packages/kit/package.json'].replace('index.ts', 'index.js'),
      'packages/kit/src/index.js': "import 'explosive';\nexport const count = () => 'of the kit';\n",
    });
    link('packages/kit/node_modules/explosive', project.path('packages/kit/node_modules-ext'));

    await build(config);
    expect(builtText()).toMatch(/from\s*["']@x\/kit["']/);
    expect(builtText()).not.toContain('of the kit');

    await build({ ...config, ssr: { noExternal: ['@x/kit'], external: ['explosive'] } });
    expect(builtText()).toContain('of the kit');
    expect(builtText()).toMatch(/import\s*["']explosive["']/);
    expect(builtText()).not.toMatch(/from\s*["']@x\/kit["']/);
    expect(builtText()).not.toContain('loaded by the build');

    await build({ ...config, ssr: { noExternal: [/^@x\//, 'hono'], external: ['explosive'] } });
    expect(builtText()).toContain('of the kit');
    expect(builtText()).not.toMatch(/^import .*from\s*["']hono["']/m);
    expect(builtText()).toMatch(/from\s*["']@flue\/runtime/);
  }, 90_000);
});

describe.each(Object.entries(bundlers))('the modules that are generated for %s', (_, bundle) => {
  it('import only what the application declares (PC-001)', async () => {
    strict(deskProject);
    await bundle({ root: project.root, entry: 'virtual:flue/server' });
    const dist = project.path('dist');
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('js'),
    );
    const text = files.map((file) => readFileSync(join(dist, file), 'utf8')).join('\n');
    const found = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^."'\0][^"']*)["']/g)].map(
      (match) => match[1]!,
    );
    const packages = found
      .filter((specifier) => !specifier.startsWith('node:') && !builtinModules.includes(specifier))
      .map((specifier) =>
        specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/'),
      );
    expect([...new Set(packages)].sort()).toEqual(['@flue/runtime', 'hono', 'valibot']);
    const require = createRequire(project.path('dist/server.mjs'));
    for (const name of new Set(packages))
      expect(() => require.resolve(`${name}/package.json`)).not.toThrow(/Cannot find/);
  }, 60_000);
});
