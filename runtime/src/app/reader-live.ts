import type { HttpSettings } from '../contract/limits.ts';
import type { Clock } from '../ports/clock.ts';
import { LiveReaderLimitError } from './errors.ts';

export interface LivePorts {
  readonly clock: Clock;
  readonly settings: { readonly http: HttpSettings };
}

/** One parked long-poll or event stream. */
export interface LiveReader {
  leave(): void;
}

/** The live readers of one runtime: how many there may be, and how they end when it stops. */
export interface LiveReaders {
  /**
   * Takes a place, or throws `LiveReaderLimitError` (LIVE-04). `onClosing` is called once when the runtime stops, right
   * after this call when it already has.
   */
  enter(path: string, onClosing: () => void): LiveReader;
  /** how many read live, in all or of one instance */
  count(path?: string): number;
  /** Tells every reader to end and resolves when all have left, after `http.drainMs` at the latest (LIVE-06). */
  drain(): Promise<void>;
}

const known = new WeakMap<object, LiveReaders>();

export function liveReadersOf(runtime: LivePorts): LiveReaders {
  const existing = known.get(runtime);
  if (existing) return existing;
  const readers = createLiveReaders(runtime);
  known.set(runtime, readers);
  return readers;
}

function createLiveReaders({ clock, settings: { http } }: LivePorts): LiveReaders {
  const present = new Set<{ path: string; onClosing: () => void }>();
  const perPath = new Map<string, number>();
  let closing = false;
  let empty: (() => void) | undefined;

  function refuseBeyond(setting: 'maxLiveReaders' | 'maxLiveReadersPerInstance', count: number): void {
    if (count >= http[setting]) throw new LiveReaderLimitError({ setting, limit: http[setting] });
  }

  return {
    enter(path, onClosing) {
      const here = perPath.get(path) ?? 0;
      refuseBeyond('maxLiveReaders', present.size);
      refuseBeyond('maxLiveReadersPerInstance', here);
      const reader = { path, onClosing };
      present.add(reader);
      perPath.set(path, here + 1);
      if (closing) queueMicrotask(onClosing);
      return {
        leave() {
          if (!present.delete(reader)) return;
          const left = (perPath.get(path) ?? 1) - 1;
          if (left > 0) perPath.set(path, left);
          else perPath.delete(path);
          if (present.size === 0) empty?.();
        },
      };
    },
    count: (path) => (path === undefined ? present.size : (perPath.get(path) ?? 0)),
    async drain() {
      closing = true;
      for (const reader of [...present]) reader.onClosing();
      if (present.size === 0) return;
      await new Promise<void>((resolve) => {
        const cancel = clock.timer(http.drainMs, resolve);
        empty = () => {
          cancel();
          resolve();
        };
      });
    },
  };
}
