import type { FlueStore, PersistenceAdapter } from '@flue/runtime/adapter';

/** Where a process ends itself: before its n-th write reaches the store, or once it is durable and nobody knows. */
export interface KillPoint {
  readonly call: number;
  readonly when: 'before' | 'after';
  /** counts only commits of this class */
  readonly class?: 'draft';
  /** counts only commits that hold a record of this type */
  readonly holding?: string;
}

const WRITES = ['admit', 'claim', 'commit'] as const;

/** The adapter with a store that kills its own process at `point`, after telling `dying` which write it was. */
export function killAt(
  adapter: PersistenceAdapter,
  point: KillPoint,
  dying: (write: string) => void,
): PersistenceAdapter {
  return { ...adapter, connect: async () => killing(await adapter.connect()) };

  function killing(store: FlueStore): FlueStore {
    let calls = 0;
    const counted = (write: (typeof WRITES)[number]) => {
      const perform = store[write] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        const hit = isMine(args[1] as { class?: string }) && ++calls === point.call;
        if (hit && point.when === 'before') die(write);
        const result = await perform(...args);
        if (hit) die(write);
        return result;
      };
    };
    return { ...store, ...Object.fromEntries(WRITES.map((write) => [write, counted(write)])) };
  }

  function isMine(commit: { class?: string; records?: readonly string[] } | undefined): boolean {
    const { holding } = point;
    if (point.class && commit?.class !== point.class) return false;
    return !holding || (commit?.records ?? []).some((body) => JSON.parse(body).type === holding);
  }

  function die(write: string): void {
    dying(write);
    process.kill(process.pid, 'SIGKILL');
    // The signal arrives a moment later; nothing may be written until then.
    for (;;);
  }
}
