import { readFileSync, readlinkSync } from 'node:fs';
import type { HostProbe } from '../../ports/host.ts';
import type { OwnerRecord } from '../../ports/store.ts';

/** Files that a platform lacks leave their field absent, which makes every comparison on it unproven. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

function pidNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

/**
 * Start of a process in clock ticks since boot: field 22 of its `stat`. The second field is the command in parentheses
 * and may hold spaces and parentheses itself, so fields are counted from the last `)`.
 */
function processStart(pid: number | 'self'): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** OWN-08 and OWN-09 on Linux; elsewhere fields are missing and nothing is ever proven. */
export function nodeHostProbe(): HostProbe {
  const self = {
    machineId: read('/etc/machine-id') ?? read('/var/lib/dbus/machine-id'),
    bootId: read('/proc/sys/kernel/random/boot_id'),
    pidNamespace: pidNamespace(),
    pid: process.pid,
    processStart: processStart('self'),
  };
  const known = Object.fromEntries(Object.entries(self).filter(([, value]) => value !== undefined));
  // A container may lack a machine id. A boot id is unique to one boot of one machine, so an equal one proves "same
  // machine, same boot" by itself; a different one proves nothing without a machine id.
  const sameBoot = (owner: OwnerRecord) => owner.bootId !== undefined && owner.bootId === self.bootId;
  const sameMachine = (owner: OwnerRecord) =>
    owner.machineId !== undefined && owner.machineId === self.machineId;

  return {
    describe: () => known,
    judge(owner) {
      if (sameMachine(owner) && owner.bootId !== undefined && self.bootId !== undefined && !sameBoot(owner))
        return 'dead';
      if (!sameBoot(owner) || owner.pid === undefined) return 'unproven';
      if (owner.pidNamespace === undefined || owner.pidNamespace !== self.pidNamespace) return 'unproven';
      // Another runtime of this very process: one process has one runtime at a time (STA-04), so that one has ended.
      if (owner.pid === self.pid && owner.processStart === self.processStart) return 'dead';
      if (!exists(owner.pid)) return 'dead';
      const start = processStart(owner.pid);
      if (start === undefined || owner.processStart === undefined) return 'unproven';
      return start === owner.processStart ? 'alive' : 'dead';
    },
  };
}
