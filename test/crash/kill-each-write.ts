import { expect } from 'vitest';
import type { CrashFolder, CrashFolders } from './crash-folder.ts';
import type { KillPoint } from './kill-at.ts';

/** More writes than a run has: one that outlives this many points means that it never ends. */
const MOST_WRITES = 60;

/**
 * Kills a run at its first write, then at its second, until it reaches its end alive; looks at each of them afterwards.
 * Returns which writes were hit. `point` names the moment in failures.
 */
export async function killEachWrite(
  folders: Pick<CrashFolders, 'create'>,
  when: KillPoint['when'],
  expectRecovery: (folder: CrashFolder, point: string) => Promise<void>,
): Promise<string[]> {
  const killed: string[] = [];
  for (let call = 1; call <= MOST_WRITES; call++) {
    const folder = folders.create();
    try {
      const child = folder.play({ kill: { call, when } });
      const end = await child.ended;
      const point = `write ${call}, ${child.errors().trim()}`;
      if (end === 0) return killed;
      expect(end, point).toBe('SIGKILL');
      killed.push(child.errors().trim());
      await expectRecovery(folder, point);
    } finally {
      await folder.remove();
    }
  }
  throw new Error(`The run did not end within ${MOST_WRITES} writes.`);
}
