import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OwnerRecord } from '../../ports/store.ts';
import { nodeHostProbe } from './host-probe.ts';

/** Another process, and what it would say of itself: a process cannot tell another boot or namespace from its own. */
async function startOther(): Promise<{ child: ChildProcess; described: Partial<OwnerRecord> }> {
  const child = spawn('/bin/sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
  const processStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!;
  return { child, described: { ...nodeHostProbe().describe(), pid: child.pid!, processStart } };
}

const owner = (described: Partial<OwnerRecord>): OwnerRecord => ({
  ownerId: 'own_other',
  runtimeStart: 0,
  agents: [],
  ...described,
});

describe.runIf(process.platform === 'linux')('the probe of a host', () => {
  const probe = nodeHostProbe();
  const self = probe.describe();

  it('tells what identifies this process (OWN-08)', () => {
    expect(self).toMatchObject({
      bootId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      pidNamespace: expect.stringMatching(/^pid:\[\d+\]$/),
      pid: process.pid,
      processStart: expect.stringMatching(/^\d+$/),
    });
    expect(nodeHostProbe().describe()).toEqual(self);
  });

  it('proves an earlier runtime of this very process dead (OWN-09)', () => {
    expect(probe.judge(owner(self))).toBe('dead');
  });

  it('proves a reused pid dead: another process has it now (OWN-09)', () => {
    expect(probe.judge(owner({ ...self, processStart: '1' }))).toBe('dead');
  });

  it('proves an earlier boot of this machine dead (OWN-09)', () => {
    const machineId = self.machineId;
    if (machineId === undefined) return;
    expect(probe.judge(owner({ ...self, bootId: 'another', pid: 1 }))).toBe('dead');
  });

  it('proves nothing across machines and namespaces, and nothing from a field that is missing (OWN-09, OWN-13)', () => {
    const elsewhere: Partial<OwnerRecord>[] = [
      { ...self, machineId: 'another', bootId: 'another' },
      { ...self, pidNamespace: 'pid:[1]', pid: 2 ** 22 },
      {},
    ];
    for (const described of elsewhere) expect(probe.judge(owner(described))).toBe('unproven');
    for (const field of ['bootId', 'pidNamespace', 'pid'] as const) {
      const { [field]: _missing, ...rest } = { ...self, processStart: '1' };
      expect(probe.judge(owner(rest))).toBe('unproven');
    }
    const { processStart: _start, ...rest } = self;
    expect(probe.judge(owner({ ...rest, pid: process.ppid }))).toBe('unproven');
  });

  describe('over another process', () => {
    let other: Awaited<ReturnType<typeof startOther>>;
    beforeAll(async () => {
      other = await startOther();
    });
    afterAll(() => {
      other.child.kill('SIGKILL');
    });

    it('proves it alive while it lives, and dead once it was killed (OWN-09, OWN-12)', async () => {
      expect(probe.judge(owner(other.described))).toBe('alive');
      other.child.kill('SIGKILL');
      await once(other.child, 'exit');
      expect(probe.judge(owner(other.described))).toBe('dead');
    });
  });
});
