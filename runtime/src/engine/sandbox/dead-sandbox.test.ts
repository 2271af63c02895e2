import { afterEach, describe, expect, it } from 'vitest';
import { createSandboxSessionEnv } from '../../adapters/sandbox/session-env.ts';
import { virtual } from '../../adapters/sandbox/virtual.ts';
import { init } from '../../app/init.ts';
import { until } from '../../app/runtime.test.support.ts';
import type { SandboxApi, SessionEnv, ShellResult } from '../../ports/sandbox.ts';
import { scriptModel } from '../../testing/script-model.ts';
import { useModel } from '../hooks/use-model.ts';
import { useSandbox } from '../hooks/use-sandbox.ts';
import { boot, calls, end, recorded, running } from './sandbox.test.support.ts';

afterEach(end);

/** A driver whose command answers when the test says so, and that looks at no signal. */
function dead(wrap: (api: SandboxApi, env: SessionEnv) => SessionEnv) {
  const state = { asked: 0, answer: (_: ShellResult) => {} };
  const exec = () =>
    new Promise<ShellResult>((resolve) => {
      state.asked += 1;
      state.answer = resolve;
    });
  function Desk() {
    useModel('offline/script');
    useSandbox({
      async createSessionEnv(options) {
        const env = await virtual().createSessionEnv(options);
        const { cwd: _, resolvePath: __, ...api } = env;
        return wrap({ ...api, exec }, { ...env, exec });
      },
    });
  }
  Desk.durability = { timeoutMs: 60_000 };
  return { state, Desk };
}

describe.each([
  ['over the wrapper', (api: SandboxApi) => createSandboxSessionEnv(api, '/workspace')],
  ['of its own making', (_: SandboxApi, env: SessionEnv) => env],
])('a dead sandbox call %s', (_, wrap) => {
  it('keeps no abort from being seen, and its late result is never recorded (PC-060, TBR-06, SAPI-03)', async () => {
    const { state, Desk } = dead(wrap);
    scriptModel({ steps: [...calls(['bash', { command: 'sleep' }]), { text: 'Done.' }] });
    await boot(Desk);
    const handle = init(Desk, { id: 'a' });
    const reply = handle.dispatch('Hi');
    reply.catch(() => {});
    await until(() => state.asked === 1);
    expect(await handle.abort()).toEqual({ aborted: true });
    // No time passes: the clock is held.
    await expect(reply).rejects.toMatchObject({ outcome: 'aborted' });
    const before = await recorded(Desk);
    expect(before.at(-1)).toMatchObject({ type: 'submission_settled', outcome: 'aborted' });
    state.answer({ stdout: 'late', stderr: '', exitCode: 0 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(await recorded(Desk)).toEqual(before);
  });

  it('keeps no deadline from being seen (PC-060, BUD-06)', async () => {
    const { state, Desk } = dead(wrap);
    scriptModel({ steps: [...calls(['bash', { command: 'sleep', timeout: 3600 }]), { text: 'Done.' }] });
    await boot(Desk);
    const reply = init(Desk, { id: 'a' }).dispatch('Hi');
    reply.catch(() => {});
    await until(() => state.asked === 1);
    const started = running().clock.now();
    await expect(running().during(reply)).rejects.toMatchObject({
      outcome: 'failed',
      cause: { type: 'submission_timeout' },
    });
    expect(running().clock.now() - started).toBeLessThan(70_000);
  });
});
