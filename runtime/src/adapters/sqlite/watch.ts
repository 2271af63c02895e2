import type { Database } from 'better-sqlite3';
import { EXECUTION_FIELDS } from '../../contract/limits.ts';
import type { WatchHint } from '../../ports/store.ts';

/** How often another process's writes are looked for, milliseconds: while somebody waits, and otherwise (SQL-08). */
const ACTIVE_MS = 100;
const IDLE_MS = EXECUTION_FIELDS.scanMs.default;

export interface Watchers {
  watch(listener: (hint: WatchHint) => void): () => void;
  /** Tells every listener; one that throws disturbs nobody (QRY-07). */
  hint(hint: WatchHint): void;
  /** An instance that this connection has claimed, until it is released; only the pace of polling depends on it. */
  held: Set<string>;
  close(): void;
}

/**
 * Hints of this process's own writes at once; of other processes' by `PRAGMA data_version`, which changes exactly when
 * another connection commits and reads no table. Without a listener nothing is polled.
 */
export function createWatchers(db: Database, shared: boolean): Watchers {
  const listeners = new Set<(hint: WatchHint) => void>();
  const held = new Set<string>();
  const dataVersion = db.prepare('PRAGMA data_version').pluck();
  let seen: unknown;
  let timer: NodeJS.Timeout | undefined;
  let pace = 0;

  return {
    held,
    hint,
    watch(listener) {
      // Wrapped, so that registering one function twice makes two registrations.
      const registered = (change: WatchHint) => listener(change);
      listeners.add(registered);
      if (shared && listeners.size === 1) seen = readVersion();
      // Readers come and go quickly; a running timer is only ever shortened, or it would never fire.
      if (shared && (timer === undefined || paceNow() < pace)) arm();
      return () => {
        listeners.delete(registered);
        if (listeners.size === 0) disarm();
      };
    },
    close() {
      listeners.clear();
      disarm();
    },
  };

  function hint(change: WatchHint): void {
    for (const listener of [...listeners]) {
      try {
        listener(change);
      } catch {
        // A hint carries no duty: a listener that fails has only missed it.
      }
    }
  }

  /** The runtime's own supervision is one listener; every further one is a reader that waits. */
  function paceNow(): number {
    return listeners.size > 1 || held.size > 0 ? ACTIVE_MS : IDLE_MS;
  }

  function arm(): void {
    disarm();
    pace = paceNow();
    timer = setTimeout(poll, pace);
    timer.unref();
  }

  function disarm(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  function poll(): void {
    arm();
    const version = readVersion();
    if (version === seen) return;
    seen = version;
    hint('any');
  }

  function readVersion(): unknown {
    try {
      return dataVersion.get();
    } catch {
      return seen;
    }
  }
}
