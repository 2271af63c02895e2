import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FlueStore } from '../../ports/store.ts';
import {
  admission,
  beat,
  body,
  claimHead,
  commit,
  fenceOf,
  PATH,
} from '../../testing/store-contract/givens.ts';
import { openDatabase } from './open.ts';
import { sqlite } from './sqlite.ts';
import { createStore, type OpenStore } from './store.ts';

let folder: string;
let file: string;
let db: Database.Database;
let opened: OpenStore;
let store: FlueStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'flue-faults-'));
  file = join(folder, 'flue.db');
  await open();
});
afterEach(async () => {
  await opened.close().catch(() => {});
  rmSync(folder, { recursive: true, force: true });
});

async function open(busyMs = 1000): Promise<void> {
  db = await openDatabase(file, { synchronous: 'normal', busyMs });
  opened = createStore(db, { file, synchronous: 'normal', busyMs, now: Date.now, shared: true });
  store = opened.store;
}

async function reasonOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => undefined,
    (e) => e,
  );
  return error?.meta?.reason;
}

describe('a full disk', () => {
  /** The engine answers a write beyond its page limit exactly as one that the volume has no room for. */
  const fill = () => db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`);
  const makeRoom = () => db.pragma('max_page_count = 1000000');
  const large = (submissionId: string) => admission({ submissionId, payload: 'x'.repeat(200_000) });

  it('refuses admissions with 503 and loses nothing accepted (SQL-10, CTS-16)', async () => {
    await store.admit(admission({ submissionId: 's1' }));
    fill();
    await expect(store.admit(large('s2'))).rejects.toMatchObject({
      type: 'persistence_failure',
      status: 503,
      headers: { 'Retry-After': '1' },
      meta: { reason: 'full' },
    });
    expect((await store.load(PATH))?.rows.map((row) => row.submissionId)).toEqual(['s1']);
    makeRoom();
    expect((await store.admit(large('s2'))).kind).toBe('admitted');
  });

  it('lets an owner repeat its batch once there is room (SQL-10, CMT-03)', async () => {
    await store.admit(admission({ submissionId: 's1' }));
    await beat(store, 'o1');
    const fence = fenceOf(await claimHead(store, 'o1'), 'o1');
    const batch = commit(1, { records: [body('assistant_message', 'x'.repeat(200_000))] });
    fill();
    expect(await reasonOf(store.commit(fence, batch))).toBe('full');
    expect(await reasonOf(store.commit(fence, batch))).toBe('full');
    makeRoom();
    await store.commit(fence, batch);
    expect((await store.read(PATH, {})).batches.length).toBe(2);
    expect((await store.submission('s1'))?.attempts).toBe(1);
  });

  it('fails only the members of a group that need room (SQL-05, SQL-10)', async () => {
    for (const id of ['s0', 's1'])
      await store.admit(admission({ submissionId: id, path: `agents/orders/${id}` }));
    fill();
    const settled = await Promise.allSettled([
      store.abort('agents/orders/s0'),
      store.admit(large('s2')),
      store.abort('agents/orders/s1'),
    ]);
    expect(settled.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await store.submission('s1'))?.abortRequestedAt).toEqual(expect.any(Number));
  });
});

describe('a store that lost write permission', () => {
  it('refuses writes, goes on reading, and resumes by itself (SQL-11, CTS-16)', async () => {
    await store.admit(admission({ submissionId: 's1' }));
    db.pragma('query_only = ON');
    expect(await reasonOf(store.admit(admission({ submissionId: 's2' })))).toBe('readonly');
    expect(await reasonOf(beat(store, 'o1'))).toBe('readonly');
    expect((await store.submission('s1'))?.status).toBe('queued');
    db.pragma('query_only = OFF');
    expect((await store.admit(admission({ submissionId: 's2' }))).kind).toBe('admitted');
  });
});

describe('a damaged file', () => {
  it('latches: no write is tried again, what can be read is served (SQL-12, CTS-16)', async () => {
    await store.admit(admission({ submissionId: 's1' }));
    await store.admit(admission({ submissionId: 's2', path: 'agents/orders/other' }));
    await opened.close();
    const reader = new Database(file, { readonly: true });
    const root = reader.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'flue_batch'").pluck().get();
    const pageSize = reader.pragma('page_size', { simple: true }) as number;
    reader.close();
    overwrite(((root as number) - 1) * pageSize, Buffer.alloc(pageSize, 0xff));
    await open();

    const size = statSync(file).size;
    const error = await store.admit(admission({ submissionId: 's3' })).catch((e) => e);
    expect(error).toMatchObject({ type: 'persistence_failure', status: 500, meta: { reason: 'corrupt' } });
    expect(error.cause).toBeInstanceOf(Database.SqliteError);
    expect(await store.abort(PATH).catch((e) => e)).toBe(error);
    expect((await store.submission('s1'))?.status).toBe('queued');
    expect(await reasonOf(store.read(PATH, {}))).toBe('corrupt');
    expect(statSync(file).size).toBe(size);
  });

  function overwrite(position: number, bytes: Buffer): void {
    const handle = openSync(file, 'r+');
    writeSync(handle, bytes, 0, bytes.length, position);
    closeSync(handle);
  }
});

describe('a lock that another process holds', () => {
  it('is waited for without blocking the event loop (SQL-06)', async () => {
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    const admitted = store.admit(admission({ submissionId: 's1' }));
    let turns = 0;
    for (; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(turns).toBe(20);
    expect(await store.load(PATH)).toBeNull();
    other.exec('COMMIT');
    expect((await admitted).kind).toBe('admitted');
    other.close();
  });

  it('ends the wait as busy after busyMs, and writes nothing later (SQL-06, ADP-07, CTS-16)', async () => {
    await opened.close();
    await open(30);
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    expect(await reasonOf(store.admit(admission({ submissionId: 's1' })))).toBe('busy');
    other.exec('COMMIT');
    other.close();
    await store.admit(admission({ submissionId: 's2' }));
    expect(await store.submission('s1')).toBeNull();
  });

  it('is waited for at most 5 s, whatever an option asks for (ADP-08)', () => {
    expect(() => sqlite(file, { busyMs: 5000 })).not.toThrow();
    expect(() => sqlite(file, { busyMs: 5001 })).toThrow(
      '[flue] sqlite() takes busyMs as a number of milliseconds from 0 to 5000.',
    );
  });

  it('makes a failure that says nothing of what was to be written, and nothing is logged (ADP-08, RED-02)', async () => {
    const said: unknown[] = [];
    for (const stream of [process.stdout, process.stderr])
      vi.spyOn(stream, 'write').mockImplementation((text) => {
        said.push(text);
        return true;
      });
    await opened.close();
    await open(0);
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    const secret = 'the very payload';
    const accepted = body('user_message', secret);
    const refused = await store
      .admit(admission({ submissionId: 's1', payload: JSON.stringify(secret), accepted }))
      .catch((error: unknown) => error);
    other.exec('COMMIT');
    other.close();
    vi.restoreAllMocks();
    expect(refused).toMatchObject({ meta: { reason: 'busy' } });
    expect(inspect(refused, { depth: 10, showHidden: true })).not.toContain(secret);
    expect(said).toEqual([]);
  });

  it('is let go by close, which finishes what waits (SQL-14)', async () => {
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    const admitted = store.admit(admission({ submissionId: 's1' }));
    await new Promise((resolve) => setImmediate(resolve));
    const closed = opened.close();
    other.exec('COMMIT');
    other.close();
    await closed;
    expect((await admitted).kind).toBe('admitted');
  });
});
