import { mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentFunction } from '@flue/runtime';
import { sqlite, start } from '@flue/runtime/node';
import { bundleModule } from '../support/bundle.ts';
import { type Child, startChild } from '../support/child.ts';
import type { KillPoint } from './kill-at.ts';

/** One database file with the trace of what ran on it, in whichever process. */
export interface CrashFolder {
  readonly file: string;
  /** Starts a process of its own, which dies at `kill`. `env` is what its worker reads besides. */
  play(o?: {
    readonly kill?: KillPoint;
    readonly hang?: 'tool';
    readonly env?: Readonly<Record<string, string>>;
  }): Child;
  /** Boots on the file in this process, runs `use` and stops. */
  boot<T>(use: () => Promise<T>): Promise<T>;
  /** executions of tools so far, one line each: tool, call id, process */
  trace(): string[];
  /** Resolves once something has been traced. */
  traced(): Promise<void>;
  /** Kills what still runs and removes everything. */
  remove(): Promise<void>;
}

/** Who plays: a worker to run as a process, the agent that it serves, and the model of this process. */
export interface Play {
  readonly worker: URL;
  readonly agent: AgentFunction;
  readonly playModel: () => void;
}

export interface CrashFolders {
  create(): CrashFolder;
  remove(): void;
}

/** Bundles the worker once; every folder starts its processes from that file. */
export async function openCrashFolders({ worker, agent, playModel }: Play): Promise<CrashFolders> {
  const home = mkdtempSync(join(tmpdir(), 'flue-crash-'));
  const bundled = join(home, 'worker.mjs');
  await bundleModule(worker, bundled);
  playModel();
  return {
    create: () => createFolder(mkdtempSync(join(home, 'run-')), bundled, agent),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** One runtime per process (STA-04), so folders that are used side by side boot one after another. */
let booting: Promise<unknown> = Promise.resolve();

function createFolder(folder: string, worker: string, agent: AgentFunction): CrashFolder {
  const file = join(folder, 'flue.db');
  const traceFile = join(folder, 'trace');
  writeFileSync(traceFile, '');
  const children: Child[] = [];
  const trace = () => readFileSync(traceFile, 'utf8').split('\n').filter(Boolean);

  return {
    file,
    trace,
    play({ kill, hang, env } = {}) {
      const child = startChild(worker, {
        DB: file,
        TRACE: traceFile,
        ...(kill && { KILL: JSON.stringify(kill) }),
        ...(hang && { HANG: hang }),
        ...env,
      });
      children.push(child);
      return child;
    },
    boot(use) {
      const booted = booting.then(async () => {
        process.env.TRACE = traceFile;
        const flue = await start({ agents: [agent], db: sqlite(file) });
        try {
          return await use();
        } finally {
          await flue.stop();
        }
      });
      booting = booted.catch(() => {});
      return booted;
    },
    traced: () =>
      new Promise((resolve) => {
        const watcher = watch(traceFile, look);
        function look() {
          if (trace().length === 0) return;
          watcher.close();
          resolve();
        }
        look();
      }),
    async remove() {
      await Promise.all(children.map((child) => child.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
