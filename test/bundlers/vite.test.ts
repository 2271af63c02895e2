import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import flue from '@flue/unplugin/vite';
import Database from 'better-sqlite3';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProject, type Project } from '../support/project.ts';
import { converse, ServerEnded, startServer } from '../support/server.ts';
import { readStream } from '../support/stream.ts';
import { deskProject as files } from './support/desk-project.ts';

const quiet = { logLevel: 'silent', configFile: false } as const;

describe('a Vite build', () => {
  let project: Project;
  beforeAll(async () => {
    project = createProject(files);
    await build({ ...quiet, root: project.root, build: { minify: true }, plugins: [flue()] });
  }, 60_000);
  afterAll(() => project.remove());

  it('gives a server whose identities survive minification, and which the app and the registry share (BIND-01, BIND-03, EMIT-10, PC-005)', async () => {
    for (const chunk of readdirSync(project.path('dist/chunks')))
      expect(readFileSync(project.path(`dist/chunks/${chunk}`), 'utf8')).not.toContain('OrderDesk()');
    const database = project.path('data.db');
    const server = await startServer(project.path('dist/server.mjs'), { FLUE_DB: database });
    try {
      const answer = await converse(`${server.url}/desk/1`, { kind: 'user', body: 'Where is order 1042?' });
      expect(answer).toMatchObject({
        settlement: { outcome: 'completed' },
        reply: { text: expect.stringContaining('on a ship') },
      });
      await converse(`${server.url}/door/1`, { kind: 'user', body: 'Hello' });
      const receipt = await fetch(`${server.url}/later`, { method: 'POST' });
      expect(receipt.status).toBe(200);
    } finally {
      expect(await server.stop()).toBe(0);
    }
    expect(await readStream(database, 'agents/OrderDesk/1')).not.toHaveLength(0);
    expect(await readStream(database, 'agents/front-door/1')).not.toHaveLength(0);
    expect(await readStream(database, 'agents/OrderDesk/later')).not.toHaveLength(0);
  }, 30_000);

  it('writes the manifest beside the server, with the hash that the registration carries (EMIT-11, LOAD-02)', () => {
    const manifest = JSON.parse(readFileSync(project.path('dist/manifest.json'), 'utf8')) as {
      hash: string;
      agents: { identity: string }[];
    };
    expect(manifest.agents.map((agent) => agent.identity)).toEqual(['OrderDesk', 'front-door']);
    const [chunk, ...others] = readdirSync(project.path('dist/chunks')).filter((name) =>
      name.startsWith('agents-'),
    );
    expect(others).toEqual([]);
    expect(readFileSync(project.path(`dist/chunks/${chunk}`), 'utf8')).toContain(manifest.hash);
  });

  it.each([
    ['missing', undefined, 'manifest.json'],
    ['no JSON', '{', 'it is not JSON'],
    ['of another version', '{"manifestVersion":9}', 'version 9'],
    ['changed after it was written', 'edited', 'does not match its hash'],
  ])(
    'refuses to boot on a manifest that is %s, with what, where and the remedy (LOAD-02, LOAD-03)',
    async (_, text, told) => {
      const file = project.path('dist/manifest.json');
      const good = readFileSync(file, 'utf8');
      try {
        if (text === undefined) rmSync(file);
        else
          writeFileSync(
            file,
            text === 'edited'
              ? good.replace('on a ship', 'x').replace('"sourceRoot": "src"', '"sourceRoot": "lib"')
              : text,
          );
        const failure = await startServer(project.path('dist/server.mjs'), {
          FLUE_DB: project.path('unopened.db'),
        }).catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(ServerEnded);
        const { output, code } = failure as ServerEnded;
        expect(code).toBe(1);
        expect(output).toContain(told);
        expect(output).toContain('flue generate');
        expect(output).not.toMatch(/^\s+at /m);
      } finally {
        writeFileSync(file, good);
      }
    },
    30_000,
  );

  it('refuses a port that is no port, and an app that is no app, in one line (APP-01)', async () => {
    const failure = (await startServer(project.path('dist/server.mjs'), { PORT: 'web' }).catch(
      (error: unknown) => error,
    )) as ServerEnded;
    expect(failure.output.trim()).toBe('[flue] PORT must be a number from 0 to 65535, not "web".');
  }, 30_000);

  it('refuses a port that is taken, and gives back what it had begun to recover (STA-06, BUD-04)', async () => {
    const FLUE_DB = project.path('taken.db');
    const other = createServer().listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const failure = (await startServer(project.path('dist/server.mjs'), { FLUE_DB, PORT: `${port}` })
      .catch((error: unknown) => error)
      .finally(() => other.close())) as ServerEnded;
    expect(failure.output.trim()).toBe(
      `[flue] port ${port} cannot be used (EADDRINUSE). Set PORT to a free one.`,
    );
    const owners = new Database(FLUE_DB, { readonly: true });
    expect(owners.prepare('SELECT state FROM flue_owner').pluck().all()).toEqual(['stopped']);
    owners.close();
  }, 30_000);

  it('refuses a file that is no database, with its path and the remedy (STA-05, SQL-15)', async () => {
    const FLUE_DB = project.path('package.json');
    const failure = (await startServer(project.path('dist/server.mjs'), { FLUE_DB }).catch(
      (error: unknown) => error,
    )) as ServerEnded;
    expect(failure.output.trim().split('\n')).toEqual([
      expect.stringMatching(/^\[flue\] start\(\): the store could not be opened: [^(]+damaged\.$/),
      expect.stringMatching(/^.+package\.json: .+ Stop the process and restore the file from a backup/),
    ]);
  }, 30_000);
});

describe('a Vite build with a setup', () => {
  let project: Project;
  beforeAll(async () => {
    project = createProject({
      ...files,
      'src/setup.ts': `(globalThis as { key?: string }).key = process.env.KEY;\n`,
      'src/agents/late.ts': `'use agent';
import { useModel } from '@flue/runtime';
if (!(globalThis as { key?: string }).key) throw new Error('there is no KEY');
export function Late() {
  useModel('offline/demo');
}
export function Later() {
  useModel('offline/demo');
}
`,
    });
    await build({ ...quiet, root: project.root, plugins: [flue()] });
  }, 60_000);
  afterAll(() => project.remove());

  it('evaluates it before any agent module (CFG-06)', async () => {
    const server = await startServer(project.path('dist/server.mjs'), {
      KEY: 'k',
      FLUE_DB: project.path('data.db'),
    });
    expect(await server.stop()).toBe(0);
  }, 30_000);

  it('ends with the error of an agent module that fails, and with the agents that are missing then (REG-03)', async () => {
    const failure = (await startServer(project.path('dist/server.mjs'), {
      FLUE_DB: project.path('unopened.db'),
    }).catch((error: unknown) => error)) as ServerEnded;
    expect(failure.code).toBe(1);
    const [line] = failure.output.trim().split('\n');
    expect(line).toBe(
      '[flue] src/agents/late.ts could not be loaded, and with it the agents Late, Later: Error: there is no KEY',
    );
    expect(existsSync(project.path('unopened.db'))).toBe(false);
  }, 30_000);
});

describe('a Vite build of a project with faults', () => {
  it('fails with the finding, its place and its code, and without a stack (RULE-06, BLD-02)', async () => {
    const project = createProject({
      ...files,
      'src/agents/desk.ts': `'use agent';\nexport async function OrderDesk() {}\n`,
    });
    try {
      const failure = await build({ ...quiet, root: project.root, plugins: [flue()] }).catch(
        (error: unknown) => error,
      );
      expect(String((failure as Error).message)).toContain('FLUE1006');
      expect(String((failure as Error).message)).toContain('src/agents/desk.ts:2');
      expect(String((failure as Error).stack)).not.toMatch(/^\s+at .*plugin/m);
    } finally {
      project.remove();
    }
  }, 60_000);

  it('says how to add the app entry that is missing (FLUE5010)', async () => {
    const { 'src/app.ts': _, ...rest } = files;
    const project = createProject(rest);
    try {
      const failure = await build({ ...quiet, root: project.root, plugins: [flue()] }).catch(
        (error: unknown) => error,
      );
      expect(String((failure as Error).message)).toContain('No app entry: create src/app.ts');
    } finally {
      project.remove();
    }
  }, 60_000);

  it('keeps an entry of its own and serves the virtual modules there (EMIT-10)', async () => {
    const project = createProject({
      ...files,
      'entry.ts': `import { agents, manifestHash } from 'virtual:flue/agents';\nexport default [agents.map((a) => a.identity), manifestHash];\n`,
    });
    try {
      await build({
        ...quiet,
        root: project.root,
        build: { ssr: 'entry.ts', outDir: 'out' },
        plugins: [flue()],
      });
      const text = readFileSync(join(project.root, 'out/entry.js'), 'utf8');
      expect(text).toContain('front-door');
      expect(text).toContain('sha256:');
    } finally {
      project.remove();
    }
  }, 60_000);
});
