import type { SandboxSuite } from './target.ts';

export function fileScenarios({ scenario, expect }: SandboxSuite): void {
  scenario('text and bytes come back exactly (FIL-01)', async (env) => {
    await env.writeFile('text', 'grüße\r\n');
    expect(await env.readFile('text')).toBe('grüße\r\n');
    const bytes = new Uint8Array([0, 255, 128, 10]);
    await env.writeFile('bytes', bytes);
    expect([...(await env.readFileBuffer('bytes'))]).toEqual([...bytes]);
  });

  scenario('a write replaces, and makes missing parents (FIL-02)', async (env) => {
    await env.writeFile('a/b/c.txt', 'one, and longer');
    await env.writeFile('a/b/c.txt', 'two');
    expect(await env.readFile('a/b/c.txt')).toBe('two');
  });

  scenario('stat tells files from directories and throws for what is missing (FIL-03)', async (env) => {
    await env.writeFile('d/f', 'abc');
    expect(await env.stat('d/f')).toMatchObject({ isFile: true, isDirectory: false });
    expect(await env.stat('d')).toMatchObject({ isFile: false, isDirectory: true });
    const { size } = await env.stat('d/f');
    if (size !== undefined) expect(size).toBe(3);
    await expect(env.stat('nope')).rejects.toThrow();
  });

  scenario('readdir gives names in one order (FIL-04)', async (env) => {
    for (const name of ['b', 'a', 'C', 'ä', 'a/../d/x']) await env.writeFile(name, '');
    expect(await env.readdir('.')).toEqual(['C', 'a', 'b', 'd', 'ä']);
    await expect(env.readdir('a')).rejects.toThrow();
  });

  scenario('exists never throws; mkdir accepts what is there if it may (FIL-05)', async (env) => {
    await env.mkdir('x/y', { recursive: true });
    await env.mkdir('x/y', { recursive: true });
    expect([await env.exists('x/y'), await env.exists('x/z'), await env.exists('')]).toEqual([
      true,
      false,
      false,
    ]);
    await expect(env.mkdir('p/q')).rejects.toThrow();
  });

  scenario('rm honours its options exactly (FIL-06)', async (env) => {
    await env.writeFile('d/f', 'x');
    await expect(env.rm('d')).rejects.toThrow();
    await expect(env.rm('d', { force: true })).rejects.toThrow();
    expect(await env.exists('d/f')).toBe(true);
    await env.rm('nope', { force: true });
    await env.rm('d', { recursive: true });
    expect(await env.exists('d')).toBe(false);
  });
}
