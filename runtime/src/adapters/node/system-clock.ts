import type { Clock } from '../../ports/clock.ts';

/** The longest wait that the platform takes; it runs a longer one at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** The wall clock. Its timers never keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  timer(ms, fn) {
    let handle: NodeJS.Timeout;
    const arm = (left: number) => {
      const step = Math.min(Math.max(0, left), LONGEST_MS);
      handle = setTimeout(() => (left > step ? arm(left - step) : fn()), step);
      handle.unref();
    };
    arm(ms);
    return () => clearTimeout(handle);
  },
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = systemClock.timer(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  },
};
