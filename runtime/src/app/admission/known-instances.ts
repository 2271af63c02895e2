/**
 * Paths at which this process has seen an instance, the newest ones. A guess that the store confirms or not: an instance
 * may have been erased since.
 */
export interface KnownInstances {
  has(path: string): boolean;
  add(path: string): void;
}

export function createKnownInstances(capacity = 1000): KnownInstances {
  const paths = new Set<string>();
  return {
    has: (path) => paths.has(path),
    add(path) {
      paths.delete(path);
      paths.add(path);
      if (paths.size > capacity) paths.delete(paths.keys().next().value as string);
    },
  };
}
