/**
 * Reads of the file system, under the names of `node:fs`. While a trace is open each is noted with what it gave, so that
 * a later run can tell whether it would see the same (CACHE-04).
 *
 * D1  Whatever a compilation learns from the disk it learns through this file.
 * D2  What is noted of a read was true at some moment of the read: a file that changes meanwhile is seen as changed later.
 */
import { hash } from 'node:crypto';
import {
  type Dirent,
  lstatSync as fsLstat,
  readdirSync as fsReaddir,
  readFileSync as fsReadFile,
  realpathSync as fsRealpath,
  statSync as fsStat,
  type Stats,
} from 'node:fs';

/** What was asked about a path. `unrepeatable`: an answer that nobody but the asker can give again. */
type ProbeKind = 'kind' | 'bytes' | 'entries' | 'real' | 'entry' | 'tracked' | 'unrepeatable';

/** A file as it was before it was read: enough to see without another read that nobody touched it (CACHE-06). */
type FileStamp = readonly [size: number, mtimeMs: number, ctimeMs: number, inode: number];

/** One question, and a digest of its answer. */
export type Probe = readonly [kind: ProbeKind, path: string, answer: string, stamp?: FileStamp];

export interface Trace {
  /** distinct by kind and path, each with its latest answer */
  readonly probes: ReadonlyMap<string, Probe>;
}

/** No digest and no path. */
const MISSING = '';

let open: Map<string, Probe> | undefined;

export interface Tracer extends Trace {
  /** notes what `work` reads */
  readonly during: <T>(work: () => T) => T;
  /** what is asked again is noted again */
  forget(probe: Probe): void;
  forgetAll(): void;
}

export function openTrace(): Tracer {
  const probes = new Map<string, Probe>();
  return {
    probes,
    forget: ([kind, path]) => void probes.delete(keyOf(kind, path)),
    forgetAll: () => probes.clear(),
    during(work) {
      const outer = open;
      open = probes;
      try {
        return work();
      } finally {
        open = outer;
      }
    },
  };
}

function keyOf(kind: ProbeKind, path: string): string {
  return `${kind} ${path}`;
}

function note(kind: ProbeKind, path: string, answer: string, stamp?: FileStamp): void {
  open?.set(keyOf(kind, path), stamp ? [kind, path, answer, stamp] : [kind, path, answer]);
}

/** What git tracks of some paths, asked for by `repeat` when it has to be asked again. */
export function noteTracked(question: string, answer: string): void {
  note('tracked', question, answer);
}

/** After this, no later run can rely on what is noted. */
export function noteUnrepeatable(): void {
  note('unrepeatable', '', MISSING);
}

/**
 * Whether every question would be answered as it was. Files that nobody touched since well before the trace was written
 * are not read again: `writtenAt` is the time of its own file, so that one clock tells both (CACHE-06).
 */
export function holds(
  probes: readonly Probe[],
  writtenAt: number,
  tracked: (question: string) => string,
): boolean {
  return probes.every(([kind, path, answer, stamp]) => {
    if (kind === 'tracked') return tracked(path) === answer;
    if (kind === 'bytes' && stamp && isUntouched(path, stamp, writtenAt - 2000)) return true;
    return answerNow(kind, path) === answer;
  });
}

function isUntouched(path: string, stamp: FileStamp, before: number): boolean {
  const stats = statOf(path);
  if (stats === undefined || stats.mtimeMs >= before || stats.ctimeMs >= before) return false;
  return stampOf(stats).every((value, index) => value === stamp[index]);
}

function answerNow(kind: Exclude<ProbeKind, 'tracked'>, path: string): string | undefined {
  try {
    switch (kind) {
      case 'kind':
        return kindOf(statOf(path));
      case 'bytes':
        return digest(fsReadFile(path));
      case 'entries':
        return digest(listing(fsReaddir(path, { withFileTypes: true })));
      case 'real':
        return fsRealpath.native(path);
      case 'entry':
        return entryOf(fsLstat(path));
      case 'unrepeatable':
        return undefined;
    }
  } catch {
    return MISSING;
  }
}

/** For who watches: asked and not noted. */
export function existsNow(path: string): boolean {
  return statOf(path) !== undefined;
}

export function existsSync(path: string): boolean {
  return askKind(path) !== MISSING;
}

export function isFile(path: string): boolean {
  return askKind(path) === 'file';
}

export function isDirectory(path: string): boolean {
  return askKind(path) === 'directory';
}

function askKind(path: string): string {
  const kind = kindOf(statOf(path));
  note('kind', path, kind);
  return kind;
}

/** Below a file, or behind a closed door: not there for us. */
function statOf(path: string): Stats | undefined {
  try {
    return fsStat(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function kindOf(stats: Stats | undefined): string {
  if (stats === undefined) return MISSING;
  return stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
}

export function readFileSync(path: string): Buffer;
export function readFileSync(path: string, encoding: 'utf8'): string;
export function readFileSync(path: string, encoding?: 'utf8'): Buffer | string {
  // Before the bytes, so that a change in between shows (D2).
  const stats = open && statOf(path);
  const bytes = noting('bytes', path, () => fsReadFile(path));
  if (open) note('bytes', path, digest(bytes), stats && stampOf(stats));
  return encoding === undefined ? bytes : bytes.toString(encoding);
}

export function readdirSync(path: string): string[];
export function readdirSync(path: string, options: { readonly withFileTypes: true }): Dirent[];
export function readdirSync(path: string, options?: { readonly withFileTypes: true }): string[] | Dirent[] {
  const entries = noting('entries', path, () => fsReaddir(path, { withFileTypes: true }));
  if (open) note('entries', path, digest(listing(entries)));
  return options === undefined ? entries.map(({ name }) => name) : entries;
}

export const realpathSync = {
  native(path: string): string {
    const real = noting('real', path, () => fsRealpath.native(path));
    note('real', path, real);
    return real;
  },
};

export function statSync(path: string): Stats {
  askKind(path);
  return fsStat(path);
}

/** Of the entry itself, links not followed. */
export function lstatSync(path: string): Stats {
  const stats = noting('entry', path, () => fsLstat(path));
  note('entry', path, entryOf(stats));
  return stats;
}

function noting<T>(kind: ProbeKind, path: string, ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    note(kind, path, MISSING);
    throw error;
  }
}

function listing(entries: readonly Dirent[]): string {
  const lines = entries.map(
    (entry) => `${entry.isFile() ? 'f' : entry.isDirectory() ? 'd' : 'o'} ${entry.name}`,
  );
  return lines.sort().join('\n');
}

function entryOf(stats: Stats): string {
  return `${stats.isSymbolicLink() ? 'link' : kindOf(stats)} ${stats.size}`;
}

function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats): FileStamp {
  return [size, mtimeMs, ctimeMs, ino];
}

function digest(content: string | Buffer): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}
