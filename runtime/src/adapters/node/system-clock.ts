import type { Clock } from '../../ports/clock.ts';
import { startTimer } from '../timer.ts';

/** The wall clock. Its timers never keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  timer: (ms, fn) => startTimer(ms, fn, { keepsAlive: false }),
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
