/** Runs `work` on each item, two at a time: processes that start and die keep a small machine busy enough. */
export async function inLanes<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const lane = async () => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all([lane(), lane()]);
  return results;
}
