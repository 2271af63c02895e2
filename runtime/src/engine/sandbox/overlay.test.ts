import { expect, it } from 'vitest';
import { virtual } from '../../adapters/sandbox/virtual.ts';
import { originOf, withCwd } from './overlay.ts';

class Extended {
  readonly #name = 'mine';
  constructor(env: object) {
    Object.assign(this, env);
  }
  preview(): string {
    return this.#name;
  }
}

it('another directory changes where paths start, and hides nothing of the adapter (SBX-10, CWD-02, FIL-05)', async () => {
  const env = new Extended(
    await virtual({ cwd: '/repo', files: { 'pkg/a': 'A', 'pkg/sub/b': 'B' } }).createSessionEnv({ id: 'a' }),
  ) as Extended & Awaited<ReturnType<ReturnType<typeof virtual>['createSessionEnv']>>;
  const moved = withCwd(env, '/repo/pkg') as typeof env;
  expect(moved.preview()).toBe('mine');
  expect('preview' in moved).toBe(true);
  expect(moved.cwd).toBe('/repo/pkg');
  expect(moved.resolvePath('sub/../a')).toBe('/repo/pkg/a');
  expect(await moved.readFile('a')).toBe('A');
  expect((await moved.exec('pwd')).stdout).toBe('/repo/pkg\n');
  expect((await moved.exec('pwd', { cwd: 'sub' })).stdout).toBe('/repo/pkg/sub\n');
  for (const noPath of ['', 'a\0b', 'x'.repeat(5000)]) expect(await moved.exists(noPath)).toBe(false);
  expect(originOf(withCwd(moved, '/'))).toBe(env);
});
