import type { SandboxSuite } from './target.ts';

export function execScenarios({ scenario, expect }: SandboxSuite): void {
  scenario('a command that completed is a result, whatever its code (EXE-01)', async (env) => {
    const result = await env.exec('echo out; echo err >&2; exit 3');
    expect(result).toEqual({ stdout: 'out\n', stderr: 'err\n', exitCode: 3 });
  });

  scenario(
    'a directory that does not exist is a result that names it, and nothing runs (EXE-02)',
    async (env) => {
      await env.mkdir('sub');
      expect((await env.exec('pwd', { cwd: 'sub' })).stdout.trim()).toMatch(/\/sub$/);
      const result = await env.exec('echo ran > ../ran', { cwd: 'nope' });
      expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('nope') });
      expect(await env.exists('ran')).toBe(false);
    },
  );

  scenario('each call is a fresh shell with the variables it was given (EXE-03)', async (env) => {
    await env.mkdir('sub');
    await env.exec('cd sub; export LEFT=1; f() { echo f; }');
    const after = await env.exec('pwd; echo "[$LEFT][$GIVEN]"; cat', { env: { GIVEN: 'yes' }, stdin: 'in' });
    expect(after.stdout).not.toContain('/sub\n');
    expect(after.stdout).toContain('[][yes]\nin');
    expect((await env.exec('f')).exitCode).toBe(127);
    expect((await env.exec('cat')).stdout).toBe('');
  });

  scenario('a limit ends a command with code 124 and says so (EXE-04)', async (env) => {
    const result = await env.exec('echo first; sleep 20', { timeoutMs: 200 });
    expect(result).toMatchObject({ exitCode: 124, stderr: expect.stringContaining('200 ms') });
    // Longer than any timer of the platform, which would fire at once.
    for (const timeoutMs of [2 ** 31, Number.POSITIVE_INFINITY]) {
      expect(await env.exec('sleep 0.1; echo done', { timeoutMs })).toMatchObject({ stdout: 'done\n' });
    }
  });

  scenario('an abort rejects promptly with its reason, and beforehand nothing runs (EXE-05)', async (env) => {
    const reason = new Error('enough');
    const controller = new AbortController();
    const call = env.exec('sleep 20', { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 50);
    await expect(call).rejects.toMatchObject({ name: 'AbortError', cause: reason });
    await expect(env.exec('echo x > ran', { signal: controller.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(await env.exists('ran')).toBe(false);
  });

  scenario('of limit and abort the first decides (EXE-06)', async (env) => {
    const { signal } = new AbortController();
    expect(await env.exec('sleep 20', { timeoutMs: 100, signal })).toMatchObject({ exitCode: 124 });
    const controller = new AbortController();
    const call = env.exec('sleep 20', { timeoutMs: 10_000, signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  scenario('a result has the three promised fields only (EXE-09)', async (env) => {
    expect(Object.keys(await env.exec('true')).sort()).toEqual(['exitCode', 'stderr', 'stdout']);
  });
}
