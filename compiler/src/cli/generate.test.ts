import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runFlue } from '../testing/run-flue.fixture.ts';
import { AGENT, BROKEN, TWO_MODELS } from '../testing/sources.fixture.ts';
import { addFiles, temporaryProject } from '../testing/temporary-project.fixture.ts';

describe('flue generate', () => {
  const SOURCES = { 'src/b.ts': AGENT, 'src/agents/a.ts': AGENT.replace('Orders', 'Support') };

  const GENERATED = ['manifest.json', 'agents.ts', 'routes.ts', 'client.ts', 'env.d.ts'];

  function generated(root: string): Record<string, string> {
    const folder = join(root, '.flue');
    return Object.fromEntries(
      readdirSync(folder)
        .sort()
        .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
    );
  }

  it('writes everything that is generated, and no byte the second time (GEN-01, GEN-02, EMIT-02)', async () => {
    const root = temporaryProject(SOURCES);
    const first = await runFlue(root, ['generate']);
    expect(first).toMatchObject({ code: 0, stderr: '2 agents.\n' });
    expect(first.stdout).toBe(`${GENERATED.map((file) => `.flue/${file}\n`).join('')}flue.lock.json\n`);
    const before = generated(root);
    const times = Object.keys(before).map((name) => statSync(join(root, '.flue', name)).mtimeMs);
    expect(await runFlue(root, ['generate'])).toMatchObject({ code: 0, stdout: '' });
    expect(generated(root)).toEqual(before);
    expect(Object.keys(before).map((name) => statSync(join(root, '.flue', name)).mtimeMs)).toEqual(times);
  });

  it('gives the same bytes from another working directory and another place on disk (DET-01, DET-04)', async () => {
    const [here, there] = [temporaryProject(SOURCES), temporaryProject(SOURCES)];
    await runFlue(here, ['generate']);
    await runFlue('/', ['generate', '--cwd', there]);
    expect(generated(there)).toEqual(generated(here));
  });

  it('gives the same bytes with other line ends (DET-05)', async () => {
    const [unix, windows] = [temporaryProject(SOURCES), temporaryProject({})];
    const crlf = Object.entries(SOURCES).map(
      ([path, text]) => [path, text.replaceAll('\n', '\r\n')] as const,
    );
    addFiles(windows, Object.fromEntries(crlf));
    for (const root of [unix, windows]) await runFlue(root, ['generate']);
    expect(generated(windows)).toEqual(generated(unix));
  });

  it('keeps the former files and exits 1 on an error that blocks a build (EMIT-03, GEN-03)', async () => {
    const root = temporaryProject(SOURCES);
    await runFlue(root, ['generate']);
    const before = generated(root);
    addFiles(root, { 'src/c.ts': BROKEN });
    const result = await runFlue(root, ['generate']);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain('FLUE5001');
    expect(generated(root)).toEqual(before);
  });

  it('is not stopped by other errors (EMIT-03)', async () => {
    const root = temporaryProject({ 'src/a.ts': TWO_MODELS });
    const result = await runFlue(root, ['generate']);
    expect(result).toMatchObject({ code: 0, stderr: '1 agent. 1 error remains: run flue check.\n' });
    expect(existsSync(join(root, '.flue/manifest.json'))).toBe(true);
  });

  it('--check writes nothing and lists what is missing or stale with a short diff (GEN-04)', async () => {
    const root = temporaryProject(SOURCES);
    expect(await runFlue(root, ['generate', '--check'])).toMatchObject({
      code: 1,
      stdout: `${GENERATED.map((file) => `missing .flue/${file}\n`).join('')}missing flue.lock.json\n`,
    });
    expect(existsSync(join(root, '.flue'))).toBe(false);
    await runFlue(root, ['generate']);
    expect(await runFlue(root, ['generate', '--check'])).toMatchObject({ code: 0, stdout: '' });
    const agents = join(root, '.flue/agents.ts');
    addFiles(root, { '.flue/agents.ts': readFileSync(agents, 'utf8').replace('"Support"', '"Sales"') });
    const stale = await runFlue(root, ['generate', '--check']);
    expect(stale.code).toBe(1);
    expect(stale.stdout).toMatch(
      /^stale \.flue\/agents\.ts\n {2}@@ line \d+ @@\n {2}- .*"Sales".*\n {2}\+ .*"Support"/,
    );
  });

  it('leaves a file that it did not write alone and names it (GEN-05)', async () => {
    const root = temporaryProject({ ...SOURCES, '.flue/agents.ts': 'export const mine = 1;\n' });
    const result = await runFlue(root, ['generate']);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('.flue/agents.ts was not written by flue');
    expect(readdirSync(join(root, '.flue'))).toEqual(['agents.ts']);
  });

  it('writes to another folder when asked, with imports that lead back (GEN-01, EMIT-06)', async () => {
    const root = temporaryProject({ ...SOURCES, 'tsconfig.json': '{}' });
    mkdirSync(join(root, 'gen'));
    await runFlue(root, ['generate', '--out', 'gen/flue']);
    expect(readFileSync(join(root, 'gen/flue/agents.ts'), 'utf8')).toContain('from "../../src/agents/a.js"');
  });
});
