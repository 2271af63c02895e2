export interface Memoized<V> {
  (key: string): V;
  forget(): void;
}

/** Computes a value once per key, until told to forget. */
export function memoized<V>(compute: (key: string) => V): Memoized<V> {
  const known = new Map<string, V>();
  const recall = (key: string): V => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key) as V;
  };
  return Object.assign(recall, { forget: () => known.clear() });
}
