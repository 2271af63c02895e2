import type { Clock } from '../ports/clock.ts';
import type { FlueStore, Offset } from '../ports/store.ts';
import type { LineReader } from './live-lines.ts';
import { batchOf } from './reader-stream.ts';

/** Hints may be lost (QRY-07), so every waiter looks again at least this often, milliseconds. */
const RECHECK_MS = 5000;

/** Paths whose waiters look in one turn of the event loop: a thousand reads in one would hold everything else up. */
const HINTED_AT_ONCE = 64;

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
 * With `pauseMs` a hint wakes it that much later, and the hints until then wake it no more than once.
 */
export function openWaiter(ports: WaitPorts, path: string, pauseMs = 0): Waiter {
  let pending = closed.has(ports.store);
  let resolve: (() => void) | undefined;
  let cancelPause: (() => void) | undefined;
  const wake = () => {
    cancelPause?.();
    cancelPause = undefined;
    pending = true;
    resolve?.();
  };
  const hinted = () => {
    if (pauseMs === 0) wake();
    else cancelPause ??= ports.clock.timer(pauseMs, wake);
  };
  const leave = hubOf(ports).join(path, { hinted, wake });
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

export interface LookOptions {
  readonly signal?: AbortSignal | undefined;
  /** gives up then, after a last look */
  readonly timeoutMs?: number;
  /** subscribes to what tells of the find at once, so that hints, which tell of every batch, may wait */
  readonly announced?: ((wake: () => void) => () => void) | undefined;
  /** subscribes to what is no change of the stream and a reason to look all the same */
  readonly heard?: ((wake: () => void) => () => void) | undefined;
  /** there is nothing to find yet: the first look comes after the first change */
  readonly isFresh?: boolean;
}

/** How long hints wait where the find is announced, milliseconds. */
const HINT_PAUSE_MS = 100;

/**
 * Looks at once, and again after every change of `path`, until `look` finds something. Rejects with the signal's reason
 * as soon as it fires; its place and its timer are released at once in every case (UPD-03).
 */
export async function lookUntil<T>(
  ports: WaitPorts,
  path: string,
  look: () => Promise<T | undefined>,
  o: LookOptions & { readonly timeoutMs: number },
): Promise<T | undefined>;
export async function lookUntil<T>(
  ports: WaitPorts,
  path: string,
  look: () => Promise<T | undefined>,
  o: LookOptions,
): Promise<T>;
export async function lookUntil<T>(
  ports: WaitPorts,
  path: string,
  look: () => Promise<T | undefined>,
  { signal, timeoutMs, announced, heard, isFresh = false }: LookOptions,
): Promise<T | undefined> {
  const waiter = openWaiter(ports, path, announced ? HINT_PAUSE_MS : 0);
  let timedOut = false;
  const timeout = () => {
    timedOut = true;
    waiter.wake();
  };
  const cancel = timeoutMs === undefined ? undefined : ports.clock.timer(timeoutMs, timeout);
  const unsubscribe = announced?.(waiter.wake);
  const stopHearing = heard?.(waiter.wake);
  signal?.addEventListener('abort', waiter.wake, { once: true });
  try {
    if (isFresh) await waiter.changed();
    for (;;) {
      signal?.throwIfAborted();
      const last = timedOut;
      const found = await look();
      if (found !== undefined || last) return found;
      await waiter.changed();
    }
  } finally {
    cancel?.();
    unsubscribe?.();
    stopHearing?.();
    signal?.removeEventListener('abort', waiter.wake);
    waiter.close();
  }
}

/** Resolves `true` once the stream has a batch after `after` or a line is due there, `false` after `timeoutMs`. */
export async function waitForChange(
  ports: WaitPorts,
  path: string,
  after: Offset,
  o: {
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMs: number;
    readonly lines?: Pick<LineReader, 'isDue' | 'onLine'> | undefined;
  },
): Promise<boolean> {
  const { lines, signal, timeoutMs } = o;
  const look = async () => {
    if (lines?.isDue(batchOf(after))) return true;
    const { batches } = await ports.store.read(path, { after, limit: 1 });
    return batches.length > 0 || undefined;
  };
  return (await lookUntil(ports, path, look, { signal, timeoutMs, heard: lines?.onLine })) ?? false;
}

/** The store was closed: whoever waits looks once more, and meets that. */
export function endWaits(store: FlueStore): void {
  closed.add(store);
  hubs.get(store)?.wakeAll();
}

/** Whoever begins to wait only now has nothing to wait for. */
const closed = new WeakSet<FlueStore>();

/** All waiters of one store share one watch and one timer, however many they are. */
interface Hub {
  join(path: string, waiter: Member): () => void;
  wakeAll(): void;
}

interface Member {
  /** the path may have changed */
  hinted(): void;
  /** look now */
  wake(): void;
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
  const waiting = new Map<string, Set<Member>>();
  let release: (() => void) | undefined;

  const hintPath = (path: string) => {
    for (const member of waiting.get(path) ?? []) member.hinted();
  };
  const hintAll = async () => {
    for (const [index, path] of [...waiting.keys()].entries()) {
      if (index > 0 && index % HINTED_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
      hintPath(path);
    }
  };

  function watch(): () => void {
    const unwatch = store.watch((hint) => void (hint === 'any' ? hintAll() : hintPath(hint.path)));
    let cancel = clock.timer(RECHECK_MS, recheck);
    function recheck() {
      void hintAll();
      cancel = clock.timer(RECHECK_MS, recheck);
    }
    return () => {
      unwatch();
      cancel();
    };
  }

  return {
    wakeAll() {
      for (const group of waiting.values()) for (const member of group) member.wake();
    },
    join(path, member) {
      const group = waiting.get(path) ?? new Set();
      waiting.set(path, group.add(member));
      release ??= watch();
      return () => {
        group.delete(member);
        if (group.size === 0 && waiting.get(path) === group) waiting.delete(path);
        if (waiting.size > 0) return;
        release?.();
        release = undefined;
      };
    },
  };
}
