/** Tells local waiters at once of what this process settles; everyone else hears of it through the store. */
export interface Settlements {
  settled(submissionId: string): void;
  /** Calls `fn` once when it is settled here; the returned function gives the wait up. */
  once(submissionId: string, fn: () => void): () => void;
}

export function createSettlements(): Settlements {
  const waiting = new Map<string, Set<() => void>>();
  return {
    settled(submissionId) {
      const fns = waiting.get(submissionId);
      waiting.delete(submissionId);
      for (const fn of fns ?? []) fn();
    },
    once(submissionId, fn) {
      const fns = waiting.get(submissionId) ?? new Set();
      waiting.set(submissionId, fns.add(fn));
      return () => {
        fns.delete(fn);
        if (fns.size === 0 && waiting.get(submissionId) === fns) waiting.delete(submissionId);
      };
    },
  };
}
