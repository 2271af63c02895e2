import { join } from 'node:path';
import {
  driftOf,
  emptyLock,
  LOCK_FILE,
  type Lock,
  type LockableAgent,
  type LockDrift,
  printLock,
  withAgents,
} from '../emit/lock.ts';
import type { Output } from '../emit/write-outputs.ts';
import { readLockFile } from '../project/read-lock.ts';

/** The lock of a project, or `undefined` before there is one (LOCK-02). */
export function readLock(root: string): Lock | undefined {
  return readLockFile(root)?.lock;
}

/** One line per locked identity that no agent has any more, with the ways out (FLUE1107, LOCK-03). */
export function describeMissing(missing: LockDrift['missing']): string {
  return missing
    .map(({ identity, likely }) => {
      const renamed =
        likely === undefined
          ? ''
          : ` Looks renamed to "${likely.identity}": set ${likely.function}.agentName = '${identity}', or record it with flue lock --rename ${identity} ${likely.identity}.`;
      const orphaned = `"${identity}" is no longer defined; its stored conversations would be orphaned.`;
      return `flue: ${orphaned}${renamed} To give it up: flue lock --retire ${identity}.\n`;
    })
    .join('');
}

/**
 * What `flue generate` may write by itself: a first lock, additions and moves (LOCK-01, LOCK-02). An identity that is gone
 * or came back is the author's to decide, and until then the lock stays as it is.
 */
export function lockUpdate(
  root: string,
  agents: readonly LockableAgent[],
): { readonly update?: Output; readonly note: string } {
  const present = readLock(root);
  if (present === undefined && agents.length === 0) return { note: '' };
  const lock = present ?? emptyLock();
  const { missing, returned } = driftOf(lock, agents);
  const back = returned.map(
    ({ identity }) =>
      `flue: "${identity}" was retired and would continue its old conversations. Accept it with flue lock.\n`,
  );
  const note = describeMissing(missing) + back.join('');
  if (note !== '') return { note };
  const content = printLock(withAgents(lock, agents));
  return { update: { path: join(root, LOCK_FILE), content, authored: true }, note };
}
