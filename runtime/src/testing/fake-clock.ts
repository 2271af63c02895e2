import type { Clock } from '../ports/clock.ts';

/** A clock that moves only when the test says so. */
export interface FakeClock extends Clock {
  /** Moves the time, runs what falls due in order, and lets everything that follows from it run. */
  advance(ms: number): Promise<void>;
  /** timers that have neither run nor been cancelled */
  readonly pending: number;
}

/** A clock for tests of delays, idle timeouts and deadlines (EVAL-04); it starts at `start`, in epoch milliseconds. */
export function fakeClock(start = 0): FakeClock {
  let time = start;
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
        const onAbort = () => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = timer(ms, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        signal?.addEventListener('abort', onAbort, { once: true });
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
