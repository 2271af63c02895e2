/** Milliseconds before the n-th retry: doubled each time, times a random factor in 0.75 to 1 (RETRY-04). */
export function retryDelay(n: number, baseMs: number, random: () => number = Math.random): number {
  return baseMs * 2 ** (n - 1) * (0.75 + 0.25 * random());
}
