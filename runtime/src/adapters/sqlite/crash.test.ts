import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FlueStore } from '../../ports/store.ts';
import {
  admission,
  attachment,
  beat,
  claimHead,
  commit,
  fenceOf,
  observe,
  PATH,
} from '../../testing/store-contract/givens.ts';
import { sqlite } from './sqlite.ts';

const driver = createRequire(import.meta.url).resolve('better-sqlite3');

let folder: string;
let child: string;
beforeAll(async () => {
  // Compiled once, since a process per kill that compiles itself would take minutes.
  const built = mkdtempSync(join(tmpdir(), 'flue-crash-child-'));
  child = join(built, 'child.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('./crash.fixture.ts', import.meta.url))],
    outfile: child,
    bundle: true,
    platform: 'node',
    format: 'esm',
    alias: { 'better-sqlite3': driver },
    external: [driver],
  });
  return () => rmSync(built, { recursive: true, force: true });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flue-crash-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function withStore<T>(file: string, use: (store: FlueStore) => Promise<T>): Promise<T> {
  const adapter = sqlite(file);
  const result = await use(await adapter.connect());
  await adapter.close?.();
  return result;
}

function plain(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? [...value] : value;
}

/**
 * Kills a process before each driver call of `operation` in turn, each time on a fresh copy of the store, and returns
 * what a new process finds. The last entry is the operation completed.
 */
async function killEverywhere(start: string, operation: object): Promise<string[]> {
  const found: string[] = [];
  for (let at = 0; ; at++) {
    const file = join(folder, `${at}.db`);
    cpSync(start, file);
    const killed = spawnSync(process.execPath, [child, file, `${at}`, JSON.stringify(operation, plain)]);
    expect([killed.signal, killed.stderr.toString()]).toEqual(['SIGKILL', '']);
    found.push(await withStore(file, async (store) => JSON.stringify(await snapshot(store))));
    if (killed.stdout.toString() === 'done') return found;
  }
}

async function snapshot(store: FlueStore) {
  return { ...(await observe(store, ['s1', 's2'])), attachment: await store.attachment(PATH, 'a') };
}

describe('kill -9 between driver calls', () => {
  it('shows all of a commit or none of it (CTS-06, CMT-02)', { timeout: 120_000 }, async () => {
    const start = join(folder, 'start.db');
    const { fence, draft, before } = await withStore(start, async (store) => {
      await store.admit(admission({ submissionId: 's1' }));
      await beat(store, 'o1');
      const claimed = fenceOf(await claimHead(store, 'o1'), 'o1');
      const { offset } = await store.commit(claimed, commit(1, { class: 'draft' }));
      return { fence: claimed, draft: offset, before: JSON.stringify(await snapshot(store)) };
    });
    const everything = commit(2, {
      rows: [{ submissionId: 's1', to: 'settled', outcome: 'completed' }],
      attachments: [attachment('a', new Uint8Array([1, 2]))],
      checkpoint: { foldFormat: 1, data: '{}' },
      reclaim: [draft],
    });
    const found = await killEverywhere(start, { commit: { fence, commit: everything } });
    expect(found.length).toBeGreaterThan(10);
    expect(new Set(found.slice(0, -1))).toEqual(new Set([before]));
    expect(JSON.parse(found.at(-1) ?? '')).toMatchObject({
      view: { rows: [], checkpoint: { data: '{}' } },
      rows: [{ status: 'settled' }, null],
      attachment: { ref: { size: 2 } },
    });
  });

  it('shows all of an admission or none of it (ADM-04, ATT-02)', { timeout: 120_000 }, async () => {
    const start = join(folder, 'start.db');
    const before = await withStore(start, async (store) => JSON.stringify(await snapshot(store)));
    const admit = admission({ submissionId: 's1', attachments: [attachment('a', new Uint8Array([1, 2]))] });
    const found = await killEverywhere(start, { admit });
    expect(found.length).toBeGreaterThan(7);
    expect(new Set(found.slice(0, -1))).toEqual(new Set([before]));
    expect(JSON.parse(found.at(-1) ?? '')).toMatchObject({
      rows: [{ status: 'queued' }, null],
      attachment: {},
    });
  });
});
