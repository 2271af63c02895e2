import { randomUUID } from 'node:crypto';

/** Files that outlast the attempts of an instance, in the memory of this process (VIRT-02). */
export interface KeptFiles<F> {
  /** Those of an instance, made when there are none; `generation` is another one after a loss. */
  take(instance: string, make: () => Promise<F>): Promise<{ readonly files: F; readonly generation: string }>;
  /** Their user has ended, so they may have grown. */
  giveBack(instance: string): Promise<void>;
}

interface Entry<F> {
  readonly files: F;
  readonly generation: string;
}

/** Beyond `most` instances, or `mostBytes` of all together, the ones that were used least recently are dropped. */
export function createKeptFiles<F>(o: {
  readonly most: number;
  readonly mostBytes: number;
  readonly bytesOf: (files: F) => Promise<number>;
}): KeptFiles<F> {
  /** the least recently used first */
  const kept = new Map<string, Promise<Entry<F>>>();
  const bytes = new Map<string, number>();

  function shrink(): void {
    let total = [...bytes.values()].reduce((sum, one) => sum + one, 0);
    for (const oldest of kept.keys()) {
      if (kept.size <= o.most && total <= o.mostBytes) return;
      total -= bytes.get(oldest) ?? 0;
      kept.delete(oldest);
      bytes.delete(oldest);
    }
  }

  async function weigh(instance: string, entry: Promise<Entry<F>>): Promise<void> {
    const size = await o.bytesOf((await entry).files);
    // It may have been dropped meanwhile, and even be made anew.
    if (kept.get(instance) === entry) bytes.set(instance, size);
    shrink();
  }

  return {
    async take(instance, make) {
      const entry = kept.get(instance) ?? make().then((files) => ({ files, generation: randomUUID() }));
      kept.delete(instance);
      kept.set(instance, entry);
      try {
        await weigh(instance, entry);
        return await entry;
      } catch (error) {
        if (kept.get(instance) === entry) kept.delete(instance);
        throw error;
      }
    },
    async giveBack(instance) {
      const entry = kept.get(instance);
      if (entry) await weigh(instance, entry);
    },
  };
}
