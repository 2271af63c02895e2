/** What an observation needs of the machine; tests hold it. */
export interface ObserveTiming {
  /** from 0 to below 1 */
  random(): number;
  /** milliseconds, only differences count */
  now(): number;
  /** Calls once after so many milliseconds; the result cancels it. */
  timer(ms: number, call: () => void): () => void;
  /** Calls before the next picture is drawn, and elsewhere after 16 ms (OBSV-08). */
  frame(call: () => void): () => void;
  /** Calls whenever the network is said to be back. */
  online(call: () => void): () => void;
}

interface Page {
  requestAnimationFrame?(call: () => void): number;
  cancelAnimationFrame?(handle: number): void;
  document?: { readonly hidden: boolean };
  addEventListener?(type: string, call: () => void): void;
  removeEventListener?(type: string, call: () => void): void;
}

const page = globalThis as Page;

export const systemObserveTiming: ObserveTiming = {
  random: () => Math.random(),
  now: () => performance.now(),
  timer,
  frame(call) {
    // A page that is not shown draws nothing, and would publish nothing until it is shown again.
    if (!page.requestAnimationFrame || page.document?.hidden) return timer(16, call);
    const handle = page.requestAnimationFrame(call);
    return () => page.cancelAnimationFrame?.(handle);
  },
  online(call) {
    page.addEventListener?.('online', call);
    return () => page.removeEventListener?.('online', call);
  },
};

function timer(ms: number, call: () => void): () => void {
  const handle = setTimeout(call, ms);
  return () => clearTimeout(handle);
}

const FIRST_MS = 1000;
const LONGEST_MS = 30_000;
const JITTER = 0.2;

/** Before the n-th attempt after as many failures, from 1: doubling, spread by a fifth (OBSV-04). */
export function reconnectDelay(failures: number, { random }: ObserveTiming): number {
  const bound = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  return bound * (1 + JITTER * (2 * random() - 1));
}
