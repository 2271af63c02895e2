/** The longest wait that the platform takes; it runs a longer one at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * `setTimeout` for a wait of any length, an endless one too.
 *
 * @param o.keepsAlive whether the process stays for it
 * @returns cancels it
 */
export function startTimer(
  ms: number,
  fn: () => void,
  { keepsAlive }: { readonly keepsAlive: boolean },
): () => void {
  let handle: NodeJS.Timeout;
  const arm = (left: number) => {
    const step = Math.min(Math.max(0, left), LONGEST_MS);
    handle = setTimeout(() => (left > step ? arm(left - step) : fn()), step);
    if (!keepsAlive) handle.unref();
  };
  arm(ms);
  return () => clearTimeout(handle);
}
