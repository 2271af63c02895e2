/** What a retry needs of the machine; tests hold it. */
export interface Timing {
  /** Rejects with the signal's reason as soon as it fires. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** from 0 to below 1 */
  random(): number;
  /** epoch milliseconds */
  now(): number;
}

export const systemTiming: Timing = {
  random: () => Math.random(),
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    }),
};

const FIRST_MS = 250;
const LONGEST_MS = 8000;

/** What the server asks for, else full jitter below a doubling bound, so that clients do not return together (CLNT-06). */
export function retryDelay(retried: number, retryAfter: string | null | undefined, timing: Timing): number {
  const asked = retryAfter ? askedDelay(retryAfter, timing.now()) : undefined;
  return asked ?? timing.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** retried);
}

/** Seconds or a date (RFC 9110). */
function askedDelay(retryAfter: string, now: number): number | undefined {
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
