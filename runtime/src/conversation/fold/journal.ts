/**
 * What a batch changed, so that it can be taken back: a batch advances the state as a whole or not at all, without a
 * copy of the state (CKP-08).
 */
export class Journal {
  readonly #undo: (() => void)[] = [];

  set<T extends object, K extends keyof T>(target: T, key: K, value: T[K]): void {
    const before = target[key];
    target[key] = value;
    this.#undo.push(() => {
      target[key] = before;
    });
  }

  push<T>(list: T[], item: T): void {
    list.push(item);
    this.#undo.push(() => {
      list.pop();
    });
  }

  add<T>(set: Set<T>, item: T): void {
    if (set.has(item)) return;
    set.add(item);
    this.#undo.push(() => {
      set.delete(item);
    });
  }

  put<K, V>(map: Map<K, V>, key: K, value: V): void {
    const had = map.has(key);
    const before = map.get(key) as V;
    map.set(key, value);
    this.#undo.push(() => {
      if (had) map.set(key, before);
      else map.delete(key);
    });
  }

  /** Taking a removal back moves the key to the end of the map's order, so only for maps whose order means nothing. */
  remove<K, V>(map: Map<K, V>, key: K): void {
    if (!map.has(key)) return;
    const before = map.get(key) as V;
    map.delete(key);
    this.#undo.push(() => {
      map.set(key, before);
    });
  }

  undo(): void {
    for (let entry = this.#undo.pop(); entry; entry = this.#undo.pop()) entry();
  }
}
