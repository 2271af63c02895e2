import { describe, expect, it } from 'vitest';
import type { ExecOptions, SandboxApi, ShellResult } from '../../ports/sandbox.ts';
import { SandboxDiedError, SandboxOperationUnsupportedError } from '../../ports/sandbox-errors.ts';
import { createSandboxSessionEnv, type OrphanedExecSettlement } from './session-env.ts';

const directory = { isFile: false, isDirectory: true };

/** A provider that notes what it is asked for. */
function provider(over: Partial<SandboxApi> = {}) {
  const asked: unknown[][] = [];
  const note =
    (verb: string, answer: unknown) =>
    async (...args: unknown[]) => {
      asked.push([verb, ...args]);
      return answer;
    };
  const api = {
    exec: note('exec', { stdout: 'out', stderr: '', exitCode: 0 }),
    readFile: note('readFile', 'text'),
    readFileBuffer: note('readFileBuffer', Buffer.from('ab')),
    writeFile: note('writeFile', undefined),
    stat: async () => directory,
    readdir: note('readdir', ['b', 'a']),
    exists: note('exists', true),
    mkdir: note('mkdir', undefined),
    rm: note('rm', undefined),
    ...over,
  } as SandboxApi;
  return { api, asked };
}

const hanging = () => new Promise<ShellResult>(() => {});

describe('createSandboxSessionEnv', () => {
  it('hands the provider absolute, normalized paths only (SAPI-01)', async () => {
    const { api, asked } = provider();
    const env = createSandboxSessionEnv(api, '/home/agent');
    await env.readFile('a/../b');
    await env.rm('x//y', { recursive: true });
    await env.exec('ls', { cwd: './sub' });
    expect(asked).toEqual([
      ['readFile', '/home/agent/b'],
      ['rm', '/home/agent/x/y', { recursive: true }],
      ['exec', 'ls', { cwd: '/home/agent/sub' }],
    ]);
  });

  it('makes parents after a failed write, once, and reports the second failure (SAPI-02)', async () => {
    let writes = 0;
    const { api, asked } = provider({
      writeFile: async () => {
        writes += 1;
        throw new Error(`failure ${writes}`);
      },
    });
    const env = createSandboxSessionEnv(api, '/');
    await expect(env.writeFile('/a/b/c', 'x')).rejects.toThrow('failure 2');
    expect(asked).toEqual([['mkdir', '/a/b', { recursive: true }]]);
  });

  it('waits for no provider that looks for the directory, and starts nothing afterwards (EXE-05, SAPI-05)', async () => {
    let found = (_: typeof directory) => {};
    const stat = () =>
      new Promise<typeof directory>((resolve) => {
        found = resolve;
      });
    const { api, asked } = provider({ stat });
    const env = createSandboxSessionEnv(api, '/');
    const controller = new AbortController();
    const call = env.exec('ls', { signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    found(directory);
    expect(await env.exec('ls', { timeoutMs: 1 })).toMatchObject({ exitCode: 124 });
    found(directory);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toEqual([]);
  });

  it('tells that the sandbox is gone also where that shows before the command (EXE-08)', async () => {
    const stat = async () => {
      throw new SandboxDiedError({ operation: 'stat', reason: 'stopped' });
    };
    const env = createSandboxSessionEnv(provider({ stat }).api, '/');
    await expect(env.exec('ls')).rejects.toMatchObject({ type: 'sandbox_died' });
  });

  it('rejects at an abort without the provider, and tells only its observer of the orphan (SAPI-03, EXE-05)', async () => {
    let end = (_: ShellResult) => {};
    const { api } = provider({
      exec: () =>
        new Promise((resolve) => {
          end = resolve;
        }),
    });
    const settled: OrphanedExecSettlement[] = [];
    const env = createSandboxSessionEnv(api, '/', {
      onOrphanSettled(one) {
        settled.push(one);
        throw new Error('an observer that fails');
      },
    });
    const controller = new AbortController();
    const call = env.exec('long', { signal: controller.signal });
    await new Promise(setImmediate);
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('may still be running');
    end({ stdout: 'late', stderr: '', exitCode: 0 });
    await new Promise(setImmediate);
    expect(settled).toMatchObject([{ command: 'long', result: { stdout: 'late' } }]);
  });

  it('forwards the signal and the limit (SAPI-04)', async () => {
    const { api, asked } = provider();
    const { signal } = new AbortController();
    await createSandboxSessionEnv(api, '/').exec('x', { signal, timeoutMs: 5 });
    const options = asked[0]![2] as ExecOptions;
    expect(options.signal).toBe(signal);
    expect(options.timeoutMs).toBe(5);
  });

  it('ends a command whose limit the provider ignored (SAPI-05)', async () => {
    const { api } = provider({ exec: hanging });
    const started = performance.now();
    expect(await createSandboxSessionEnv(api, '/').exec('x', { timeoutMs: 1 })).toEqual({
      stdout: '',
      stderr: 'The command was stopped: it took longer than its limit of 1 ms.\n',
      exitCode: 124,
    });
    expect(performance.now() - started).toBeGreaterThan(900);
  });

  it('reads an incomplete result as a failure, and gives plain bytes (SAPI-06, EXE-09)', async () => {
    const { api } = provider({ exec: async () => ({ stdout: 'x', extra: 1 }) as unknown as ShellResult });
    const env = createSandboxSessionEnv(api, '/');
    expect(await env.exec('x')).toEqual({ stdout: 'x', stderr: '', exitCode: 1 });
    expect(Buffer.isBuffer(await env.readFileBuffer('a'))).toBe(false);
  });

  it('ends what prints more than 64 MiB (EXE-07)', async () => {
    const stdout = 'x'.repeat(64 * 1024 * 1024 + 1);
    const { api } = provider({ exec: async () => ({ stdout, stderr: '', exitCode: 0 }) });
    const result = await createSandboxSessionEnv(api, '/').exec('x');
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain('printed more than');
    expect(result.stdout.length).toBe(64 * 1024 * 1024);
  });

  it('passes on that the sandbox is gone, and that an option cannot be honoured (EXE-08, FIL-06)', async () => {
    const gone = new SandboxDiedError({ operation: 'exec', reason: 'stopped' });
    const cannot = new SandboxOperationUnsupportedError({
      operation: 'rm',
      provider: 'p',
      options: ['force'],
    });
    const { api } = provider({ exec: () => Promise.reject(gone), rm: () => Promise.reject(cannot) });
    const env = createSandboxSessionEnv(api, '/');
    await expect(env.exec('x')).rejects.toBe(gone);
    await expect(env.rm('x', { force: true })).rejects.toBe(cannot);
  });

  it.each([
    ['No such file or directory: /a', 'ENOENT'],
    ['The path already exists', 'EEXIST'],
    ['403: permission denied', 'EACCES'],
    ['quota', 'EIO'],
  ])('says "%s" of an SDK with a POSIX code and the path (PTH-04)', async (message, code) => {
    const cause = new Error(message);
    const { api } = provider({ readFile: () => Promise.reject(cause) });
    const failure = createSandboxSessionEnv(api, '/').readFile('a');
    await expect(failure).rejects.toMatchObject({ cause, message: `${code}: ${message}, readFile '/a'` });
  });
});
