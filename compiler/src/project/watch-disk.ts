import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { existsNow, holds, type Probe, type Trace } from './disk.ts';
import { answerTracked } from './facts/git.ts';
import { ProjectError } from './project-error.ts';

/** How long nothing has to happen before a burst of events is over, and how long one may go on. */
const QUIET_MS = 50;
const BURST_MS = 200;

export interface DiskWatch {
  /** Look after everything that is noted by now. */
  follow(): void;
  /** Resolves when questions that were noted would be answered differently, with those questions. */
  next(): Promise<readonly Probe[]>;
  close(): void;
}

/**
 * Watches the folders of all that was read, and wakes for what matters alone: an event only says where to look, and the
 * questions noted there are asked again.
 */
export function watchDisk(trace: Trace): DiskWatch {
  const watchers = new Map<string, FSWatcher>();
  let byFolder: ReadonlyMap<string, readonly Probe[]> = new Map();
  const touched = new Set<string>();
  let wake = () => {};
  const wakeBy = (call: () => void) => {
    wake = call;
  };

  const touch = (folder: string) => {
    touched.add(folder);
    wake();
  };

  function open(folder: string): void {
    try {
      const watcher = watch(folder, () => touch(folder));
      // A folder that goes takes its watcher along; the one above sees it as well.
      watcher.on('error', () => drop(folder));
      watchers.set(folder, watcher);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR')
        throw new ProjectError(folder, `cannot be watched (${code}).`, { cause });
    }
  }

  function drop(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
    touch(folder);
  }

  function changedSinceNoted(folders: Iterable<string>): Probe[] {
    const probes = [...folders].flatMap((folder) => byFolder.get(folder) ?? []);
    return probes.filter((probe) => !holds([probe], 0, answerTracked));
  }

  return {
    follow() {
      byFolder = groupByFolder(trace);
      for (const folder of watchers.keys()) if (!byFolder.has(folder)) drop(folder);
      for (const folder of byFolder.keys()) {
        if (watchers.has(folder)) continue;
        open(folder);
        // What happened there between the read and now raised no event.
        touch(folder);
      }
    },
    async next() {
      for (;;) {
        if (touched.size === 0) await new Promise<void>(wakeBy);
        await quiet(wakeBy);
        const folders = [...touched];
        touched.clear();
        const changed = changedSinceNoted(folders);
        if (changed.length > 0) return changed;
      }
    },
    close() {
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

/** Resolves once a while has passed without a call of what it hands out. */
function quiet(listen: (again: () => void) => void): Promise<void> {
  const end = performance.now() + BURST_MS;
  return new Promise((resolve) => {
    let timer = setTimeout(resolve, QUIET_MS);
    listen(() => {
      clearTimeout(timer);
      timer = setTimeout(resolve, Math.min(QUIET_MS, Math.max(0, end - performance.now())));
    });
  });
}

/** Each question beside the folder in which an event tells that its answer may be another. */
function groupByFolder({ probes }: Trace): Map<string, Probe[]> {
  const groups = new Map<string, Probe[]>();
  for (const probe of probes.values()) {
    const [kind, path] = probe;
    if (kind === 'tracked' || kind === 'unrepeatable') continue;
    const folder = presentFolder(kind === 'entries' ? path : dirname(path));
    const group = groups.get(folder);
    if (group) group.push(probe);
    else groups.set(folder, [probe]);
  }
  return groups;
}

function presentFolder(path: string): string {
  return existsNow(path) || dirname(path) === path ? path : presentFolder(dirname(path));
}
