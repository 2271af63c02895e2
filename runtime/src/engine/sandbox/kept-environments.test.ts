import { describe, expect, it } from 'vitest';
import { virtual } from '../../adapters/sandbox/virtual.ts';
import { init } from '../../app/init.ts';
import { LIMITS } from '../../contract/limits.ts';
import { scriptModel } from '../../testing/script-model.ts';
import { useModel } from '../hooks/use-model.ts';
import { useSandbox } from '../hooks/use-sandbox.ts';
import { calls, end, play, recorded, results, signals } from './sandbox.test.support.ts';

function Keeper() {
  useModel('offline/script');
  useSandbox(virtual({ scope: 'instance', files: { seed: 'S' } }), { cwd: 'work' });
}

const list = ['bash', { command: 'ls -A . ..' }] as [string, object];

describe("virtual({ scope: 'instance' })", () => {
  it('keeps the files of an instance over its messages, and of no other one (VIRT-02)', async () => {
    await play(Keeper, ['write', { path: 'mine', content: 'x' }]);
    expect(results(await play(Keeper, list)).at(-1)).toBe('.:\nmine\n\n..:\nseed\nwork');
    const script = scriptModel({ steps: [...calls(list), { text: 'Done.' }] });
    await init(Keeper as never, { id: 'b' }).dispatch('Hi');
    expect(results(script).at(-1)).toBe('.:\n\n..:\nseed\nwork');
    expect(await signals(Keeper)).toEqual([]);
  });

  it('begins with its files again for another life of the same id (VIRT-02, SBX-09)', async () => {
    await play(Keeper, ['write', { path: 'mine', content: 'x' }]);
    await end();
    expect(results(await play(Keeper, list)).at(-1)).toBe('.:\n\n..:\nseed\nwork');
    expect(await signals(Keeper)).toEqual([]);
  });

  it('tells the model of a loss, before its next turn and once (VIRT-02, NARR-20, RCD-17)', async () => {
    await play(Keeper, ['write', { path: 'mine', content: 'x' }]);
    // As many others as the process keeps.
    const other = virtual({ scope: 'instance' });
    for (let n = 0; n < LIMITS.keptEnvironments; n++) await other.createSessionEnv({ id: `other ${n}` });
    const script = await play(Keeper, list);
    expect(results(script).at(-1)).toBe('.:\n\n..:\nseed\nwork');
    const told = await signals(Keeper);
    expect(told.map((signal) => signal.signalType)).toEqual(['environment']);
    expect(told[0]!.body).toContain(
      'Files and results of the previous environment may no longer be accessible.',
    );
    expect(JSON.stringify(script.requests[0]!.messages.at(-1))).toContain(
      'The environment of this conversation',
    );
    await play(Keeper, list);
    expect(await signals(Keeper)).toHaveLength(1);
  });

  it('gives a new file system to every attempt by default (VIRT-02)', async () => {
    function Forgetful() {
      useModel('offline/script');
      useSandbox(virtual({ files: { seed: 'S' } }));
    }
    await play(Forgetful, ['write', { path: 'mine', content: 'x' }]);
    expect(results(await play(Forgetful, ['bash', { command: 'ls' }])).at(-1)).toBe('seed');
    const snapshots = (await recorded(Forgetful)).filter((record) => record.type === 'resources_recorded');
    expect(JSON.stringify(snapshots)).not.toContain('generation');
  });

  it('refuses another scope (VIRT-01)', () => {
    expect(() => virtual({ scope: 'process' as never })).toThrow("scope must be 'attempt' or 'instance'");
  });
});
