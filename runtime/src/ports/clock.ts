/** Time as the runtime sees it. Tests hold it (`fakeClock`), so nothing above this port calls `Date` or `setTimeout`. */
export interface Clock {
  /** epoch milliseconds */
  now(): number;
  /** Runs `fn` once after `ms`; the returned function cancels it. A pending timer never keeps the process alive. */
  timer(ms: number, fn: () => void): () => void;
  /** Resolves after `ms`, or rejects with the signal's reason as soon as it fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
