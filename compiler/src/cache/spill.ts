import { closeSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { removeCacheFile } from './cache-folder.ts';

/** Bytes that are held before they are written, and that are read back at a time. */
const SLICE = 1024 * 1024;

/** Bytes that wait in a file beside their place, so that what a run learns is not held until its end. */
export interface Spill {
  /** bytes so far */
  readonly length: number;
  /** False once the file could not be written: what was added is lost, and nothing else. */
  add(bytes: Uint8Array): boolean;
  /** All of it, in slices that the next one overwrites. Throws where the file cannot be read. */
  slices(): Iterable<Uint8Array>;
  /** removes the file */
  close(): void;
}

/** Nothing is opened before there is a slice to write. `path` ends in `.tmp`, under which a killed process leaves it. */
export function openSpill(path: string): Spill {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let written = 0;
  let file: number | undefined;
  let isBroken = false;

  function flush(): void {
    try {
      if (file === undefined) {
        mkdirSync(dirname(path), { recursive: true });
        file = openSync(path, 'w+');
      }
      for (const bytes of held) written += writeAll(file, bytes, written);
    } catch {
      isBroken = true;
    }
    held = [];
    heldBytes = 0;
  }

  return {
    get length() {
      return written + heldBytes;
    },
    add(bytes) {
      if (isBroken) return false;
      held.push(bytes);
      heldBytes += bytes.length;
      if (heldBytes >= SLICE) flush();
      return !isBroken;
    },
    *slices() {
      const slice = Buffer.allocUnsafe(SLICE);
      for (let at = 0; at < written; ) {
        const read = readSync(file as number, slice, 0, Math.min(SLICE, written - at), at);
        if (read === 0) throw new Error('the file of a cache became shorter');
        yield slice.subarray(0, read);
        at += read;
      }
      yield* held;
    },
    close() {
      if (file === undefined) return;
      try {
        closeSync(file);
      } catch {
        // It is removed in any case.
      }
      file = undefined;
      removeCacheFile(path);
    },
  };
}

function writeAll(file: number, bytes: Uint8Array, at: number): number {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, at + done);
  return bytes.length;
}
