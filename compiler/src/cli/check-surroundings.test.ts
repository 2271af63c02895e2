import { mkdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runFlue } from '../testing/run-flue.fixture.ts';
import { AGENT } from '../testing/sources.fixture.ts';
import { addFiles, temporaryProject } from '../testing/temporary-project.fixture.ts';

const LOCK = '{"agents":{},"lockVersion":1}';

async function codes(root: string, ...argv: string[]) {
  const { code, stdout } = await runFlue(root, ['check', '--format', 'json', ...argv]);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { rule: string; severity: string }[] };
  return { code, found: diagnostics.map(({ rule, severity }) => `${rule} ${severity}`) };
}

describe('flue check --frozen', () => {
  it('fails for what may otherwise be out of date (RULE-33)', async () => {
    const root = temporaryProject({ 'src/a.ts': AGENT, 'flue.lock.json': LOCK });
    await runFlue(root, ['generate']);
    addFiles(root, { 'src/b.ts': AGENT.replace('Orders', 'Other') });
    const relaxed = await codes(root);
    expect(relaxed.code).toBe(0);
    expect(relaxed.found).toContain('FLUE1108 info');
    expect(relaxed.found).toContain('FLUE5004 warning');
    const frozen = await codes(root, '--frozen');
    expect(frozen.code).toBe(1);
    expect(frozen.found).toContain('FLUE1108 error');
    expect(frozen.found).not.toContain('FLUE5004 warning');
    await runFlue(root, ['generate']);
    expect(await codes(root, '--frozen')).toEqual({ code: 0, found: [] });
  });

  it('shows what flue lock would write, and writes nothing (LOCK-06)', async () => {
    const root = temporaryProject({ 'src/a.ts': AGENT });
    await runFlue(root, ['lock']);
    addFiles(root, { 'src/a.ts': 'export {};', 'src/moved.ts': AGENT });
    expect((await runFlue(root, ['check'])).code).toBe(0);
    const { code, stderr } = await runFlue(root, ['check', '--frozen']);
    expect(code).toBe(1);
    expect(stderr).toContain('flue: stale flue.lock.json; run flue lock.');
    expect(stderr).toMatch(/^ +- +"Orders".*\n +\+ +"Orders"/m);
    expect((await runFlue(root, ['lock', '--check'])).code).toBe(1);
  });

  it('exits 2 for a lock that cannot be used (LOCK-07, LOCK-08)', async () => {
    const root = temporaryProject({ 'src/a.ts': AGENT, 'flue.lock.json': '{"agents":{},"lockVersion":9}' });
    const { code, stderr } = await runFlue(root, ['check']);
    expect([code, stderr]).toEqual([
      2,
      'flue: flue.lock.json: was written by a newer flue (lockVersion 9; this one knows 1).\n',
    ]);
  });
});

describe('literal model specifiers', () => {
  const withRuntime = (specifier: string) => {
    const root = temporaryProject({ 'src/a.ts': AGENT.replace('offline/demo', specifier) });
    const runtime = dirname(createRequire(import.meta.url).resolve('@flue/runtime/package.json'));
    mkdirSync(join(root, 'node_modules/@flue'), { recursive: true });
    symlinkSync(runtime, join(root, 'node_modules/@flue/runtime'), 'junction');
    return root;
  };

  it('are judged by the runtime that the project has installed (SPEC-12, FLUE2404, FLUE2405)', async () => {
    expect((await codes(withRuntime('antropic/claude-haiku-4-5'))).found).toEqual(['FLUE2404 warning']);
    const { stdout } = await runFlue(withRuntime('anthropic/claude-hiaku-4-5'), ['check']);
    expect(stdout).toMatch(
      /"claude-hiaku-4-5" is not in the catalogue of anthropic \(pi-ai \d+\.\d+\.\d+\)\./,
    );
    expect(stdout).toContain('Closest: claude-haiku-4-5');
    expect((await codes(withRuntime('anthropic/claude-haiku-4-5'))).found).toEqual([]);
  });

  it('are left alone where none is installed', async () => {
    const root = temporaryProject({ 'src/a.ts': AGENT.replace('offline/demo', 'antropic/claude') });
    expect((await codes(root)).found).toEqual([]);
  });
});

describe('a credential in a source', () => {
  it('is printed by no report (FLUE5015)', async () => {
    const key = 'sk-live-0123456789abcdefABCDEF0123456789';
    const register = `import { registerProvider } from '@flue/runtime';
registerProvider('acme', { api: 'openai-completions', baseUrl: 'https://x.dev', apiKey: '${key}' });\n`;
    const root = temporaryProject({ 'src/setup.ts': register, 'src/a.ts': AGENT });
    for (const format of ['pretty', 'json', 'sarif', 'github']) {
      const { stdout } = await runFlue(root, ['check', '--format', format]);
      expect(stdout).toContain('FLUE5015');
      expect(stdout).not.toContain(key);
    }
  });
});
