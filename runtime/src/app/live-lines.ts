import type { Chunk, LiveChunk, LogChunk } from '../conversation/projections/chunk.ts';

/*
 * Lines of log on their way to those who read a conversation live in this process. They are never stored, so whoever
 * does not listen when a line is told never gets it (RCD-14).
 */
export interface LiveLines {
  /** Tells a line after the batch `after` of the conversation. It is built only when somebody listens. */
  tell(path: string, after: number, line: () => LogChunk): void;
  listen(path: string): LineReader;
}

/** What one reader has heard and not passed on yet. */
export interface LineReader {
  /** Calls `fn` whenever a line is told, instead of what it called before; the returned function ends that. */
  onLine(fn: () => void): () => void;
  /** Whether a line is due at a reader who has got everything up to the batch `reached`. */
  isDue(reached: number): boolean;
  /**
   * The chunks of a page that reaches as far as the batch `reached`, and every line that is due, each after the batch
   * after which it was told.
   */
  merge(chunks: readonly Chunk[], reached: number): LiveChunk[];
  close(): void;
}

/** What is held for one reader, characters of JSON: one that is slow loses the oldest lines. */
const HELD_MAX = 256 * 1024;

interface Held {
  readonly after: number;
  readonly chunk: LogChunk;
  readonly size: number;
}

type Listener = (line: Held) => void;

export function createLiveLines(): LiveLines {
  const listening = new Map<string, Set<Listener>>();
  return {
    tell(path, after, line) {
      const listeners = listening.get(path);
      if (!listeners) return;
      const chunk = line();
      const held = { after, chunk, size: JSON.stringify(chunk).length };
      for (const listener of listeners) listener(held);
    },
    listen(path) {
      const { hear, ...reader } = createLineReader();
      const listeners = listening.get(path) ?? new Set();
      listening.set(path, listeners.add(hear));
      return {
        ...reader,
        close() {
          listeners.delete(hear);
          if (listeners.size === 0 && listening.get(path) === listeners) listening.delete(path);
        },
      };
    },
  };
}

function createLineReader() {
  let held: Held[] = [];
  let size = 0;
  let wake = () => {};

  function hear(line: Held): void {
    held.push(line);
    size += line.size;
    while (size > HELD_MAX && held.length > 1) size -= held.shift()!.size;
    wake();
  }

  function take(reached: number): Held[] {
    const due = held.filter(({ after }) => after <= reached);
    if (due.length === 0) return due;
    held = held.filter(({ after }) => after > reached);
    size = held.reduce((sum, line) => sum + line.size, 0);
    return due;
  }

  return {
    hear,
    onLine(fn: () => void) {
      wake = fn;
      return () => {
        wake = () => {};
      };
    },
    isDue: (reached: number) => held.some(({ after }) => after <= reached),
    merge(chunks: readonly Chunk[], reached: number): LiveChunk[] {
      const due = take(reached);
      const merged: LiveChunk[] = [];
      for (const chunk of chunks) {
        while (due[0] && due[0].after < chunk.position.batch) merged.push(due.shift()!.chunk);
        merged.push(chunk);
      }
      return [...merged, ...due.map(({ chunk }) => chunk)];
    },
  };
}
