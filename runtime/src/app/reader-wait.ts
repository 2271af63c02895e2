import type { Clock } from '../ports/clock.ts';

import type { FlueStore, Offset } from '../ports/store.ts';

/** Hints may be lost (QRY-07), so every waiter looks again at least this often, milliseconds. */
const RECHECK_MS = 5000;

export interface WaitPorts {
  readonly store: FlueStore;
  readonly clock: Clock;
}

/** Waits for changes of one path. Whatever happens between two waits is remembered for the next one. */
export interface Waiter {
  /** Resolves on a hint, on `wake` and on `close`; spurious wakes are possible, missed ones are not. */
  changed(): Promise<void>;
  wake(): void;
  close(): void;
}

/**
 * Open it before looking for what to wait for: a change between the look and the wait then still wakes it (UPD-04).
 */
export function openWaiter(ports: WaitPorts, path: string): Waiter {
  let pending = false;
  let resolve: (() => void) | undefined;
  const wake = () => {
    pending = true;
    resolve?.();
  };
  const leave = hubOf(ports).join(path, wake);
  return {
    changed: async () => {
      if (!pending) await new Promise<void>((done) => (resolve = done));
      pending = false;
      resolve = undefined;
    },
    wake,
    close() {
      leave();
      wake();
    },
  };
}

/**
 * Looks at once and again after every change of `path`, until `look` finds something. With `timeoutMs` it gives up
 * then, after a last look. Rejects with the signal's reason as soon as it fires; its place and its timer are released
 * at once in every case (UPD-03).
 */
export function lookUntil<T>(
  ports: WaitPorts,
  path: string,
  signal: AbortSignal | undefined,
  look: () => Promise<T | undefined>,
): Promise<T>;
export function lookUntil<T>(
  ports: WaitPorts,
  path: string,
  signal: AbortSignal | undefined,
  look: () => Promise<T | undefined>,
  timeoutMs: number,
): Promise<T | undefined>;
export async function lookUntil<T>(
  ports: WaitPorts,
  path: string,
  signal: AbortSignal | undefined,
  look: () => Promise<T | undefined>,
  timeoutMs?: number,
): Promise<T | undefined> {
  const waiter = openWaiter(ports, path);
  let timedOut = false;
  const cancel =
    timeoutMs === undefined
      ? undefined
      : ports.clock.timer(timeoutMs, () => {
          timedOut = true;
          waiter.wake();
        });
  signal?.addEventListener('abort', waiter.wake, { once: true });
  try {
    for (;;) {
      signal?.throwIfAborted();
      const last = timedOut;
      const found = await look();
      if (found !== undefined || last) return found;
      await waiter.changed();
    }
  } finally {
    cancel?.();
    signal?.removeEventListener('abort', waiter.wake);
    waiter.close();
  }
}

/** Resolves `true` once the stream has a batch after `after`, `false` after `timeoutMs`. */
export async function waitForChange(
  ports: WaitPorts,
  path: string,
  after: Offset,
  o: { readonly signal?: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<boolean> {
  const look = async () => {
    const { batches } = await ports.store.read(path, { after, limit: 1 });
    return batches.length > 0 || undefined;
  };
  return (await lookUntil(ports, path, o.signal, look, o.timeoutMs)) ?? false;
}

/** All waiters of one store share one watch and one timer, however many they are. */
interface Hub {
  join(path: string, wake: () => void): () => void;
}

const hubs = new WeakMap<FlueStore, Hub>();

function hubOf({ store, clock }: WaitPorts): Hub {
  const existing = hubs.get(store);
  if (existing) return existing;
  const hub = createHub(store, clock);
  hubs.set(store, hub);
  return hub;
}

function createHub(store: FlueStore, clock: Clock): Hub {
  const waiting = new Map<string, Set<() => void>>();
  let release: (() => void) | undefined;

  const wakePath = (path: string) => {
    for (const wake of waiting.get(path) ?? []) wake();
  };
  const wakeAll = () => {
    for (const path of waiting.keys()) wakePath(path);
  };

  function watch(): () => void {
    const unwatch = store.watch((hint) => (hint === 'any' ? wakeAll() : wakePath(hint.path)));
    let cancel = clock.timer(RECHECK_MS, recheck);
    function recheck() {
      wakeAll();
      cancel = clock.timer(RECHECK_MS, recheck);
    }
    return () => {
      unwatch();
      cancel();
    };
  }

  return {
    join(path, wake) {
      const group = waiting.get(path) ?? new Set();
      waiting.set(path, group.add(wake));
      release ??= watch();
      return () => {
        group.delete(wake);
        if (group.size === 0 && waiting.get(path) === group) waiting.delete(path);
        if (waiting.size > 0) return;
        release?.();
        release = undefined;
      };
    },
  };
}
