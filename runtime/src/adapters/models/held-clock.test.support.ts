import type { Clock } from '../../ports/clock.ts';

/** A clock that moves only when the test says so. */
export interface HeldClock extends Clock {
  /** Moves the time, runs what falls due in order, and lets everything that follows from it run. */
  advance(ms: number): Promise<void>;
  /** timers that have neither run nor been cancelled */
  readonly pending: number;
}

export function heldClock(): HeldClock {
  let time = 0;
  const timers = new Set<{ due: number; fn: () => void }>();
  const timer = (ms: number, fn: () => void) => {
    const entry = { due: time + ms, fn };
    timers.add(entry);
    return () => void timers.delete(entry);
  };
  return {
    now: () => time,
    timer,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const cancel = timer(ms, resolve as () => void);
        signal?.addEventListener('abort', () => {
          cancel();
          reject(signal.reason);
        });
      }),
    async advance(ms) {
      await settle();
      const until = time + ms;
      for (;;) {
        const next = [...timers].sort((a, b) => a.due - b.due)[0];
        if (!next || next.due > until) break;
        timers.delete(next);
        time = Math.max(time, next.due);
        next.fn();
        await settle();
      }
      time = until;
      await settle();
    },
    get pending() {
      return timers.size;
    },
  };
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
