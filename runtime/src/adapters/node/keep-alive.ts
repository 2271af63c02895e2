/** Keeps the process alive while it holds work: all other timers of the runtime are unreferenced. */
export function keepAlive(): () => void {
  const handle = setInterval(() => {}, 2 ** 30);
  return () => clearInterval(handle);
}
