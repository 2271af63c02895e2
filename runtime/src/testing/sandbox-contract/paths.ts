import type { SandboxSuite } from './target.ts';

export function pathScenarios({ scenario, expect }: SandboxSuite): void {
  scenario('relative and absolute paths name the same file (PTH-01)', async (env) => {
    expect(env.cwd.startsWith('/')).toBe(true);
    await env.writeFile('a/b.txt', 'x');
    expect(await env.readFile(`${env.cwd}/a/b.txt`)).toBe('x');
    expect(await env.readdir('a')).toEqual(['b.txt']);
  });

  scenario('two spellings of a path resolve to one, never above the root (PTH-02)', async (env) => {
    expect(env.resolvePath('a/./b//../c')).toBe(env.resolvePath('a/c'));
    expect(env.resolvePath('.')).toBe(env.resolvePath(env.cwd));
    expect(env.resolvePath('/../../x/')).toBe('/x');
  });

  scenario('what is no path is refused before anything happens (PTH-03)', async (env) => {
    for (const path of ['', 'a\0b', 'x'.repeat(4097)]) {
      for (const verb of [
        () => env.readFile(path),
        () => env.writeFile(path, 'x'),
        () => env.stat(path),
        () => env.mkdir(path),
        () => env.rm(path, { recursive: true, force: true }),
      ]) {
        await expect(verb()).rejects.toMatchObject({ type: 'sandbox_invalid_path' });
      }
    }
    expect(await env.readdir('.')).toEqual([]);
  });

  scenario('errors start with the POSIX code and name the path (PTH-04)', async (env) => {
    await env.writeFile('file', 'x');
    await env.writeFile('dir/inner', 'x');
    const failures: [code: string, path: string, work: () => Promise<unknown>][] = [
      ['ENOENT', 'nope', () => env.readFile('nope')],
      ['ENOENT', 'nope', () => env.stat('nope')],
      ['ENOENT', 'nope', () => env.rm('nope')],
      ['EISDIR', 'dir', () => env.readFile('dir')],
      ['EISDIR', 'dir', () => env.writeFile('dir', 'x')],
      ['ENOTDIR', 'file', () => env.readdir('file')],
      ['ENOTEMPTY', 'dir', () => env.rm('dir')],
      ['EEXIST', 'dir', () => env.mkdir('dir')],
    ];
    for (const [code, path, work] of failures) {
      await expect(work()).rejects.toMatchObject({
        message: expect.stringMatching(new RegExp(`^${code}: .*${path}`)),
      });
    }
  });
}
