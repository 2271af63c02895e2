import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from './open.ts';
import { sqlite } from './sqlite.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flue-open-'));
  file = join(folder, 'flue.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A store of this format, closed. */
async function createStore(): Promise<void> {
  const adapter = sqlite(file);
  await adapter.migrate?.();
  await adapter.close?.();
}

function change(sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

/** Bytes and modification time of the file, which is given an old one first. */
function remember() {
  utimesSync(file, 1_000_000, 1_000_000);
  const before = { bytes: readFileSync(file), mtime: statSync(file).mtimeMs };
  return () => expect({ bytes: readFileSync(file), mtime: statSync(file).mtimeMs }).toEqual(before);
}

describe('the factory', () => {
  it('refuses a blank path and unknown options by name (SQL-01)', () => {
    expect(() => sqlite('')).toThrow('[flue] sqlite() takes a file path');
    expect(() => sqlite('  \n')).toThrow('[flue] sqlite() takes a file path');
    expect(() => sqlite(file, { synchronous: 'off' as 'full' })).toThrow("'full' or 'normal', not \"off\"");
    expect(() => sqlite(file, { busyMs: -1 })).toThrow('busyMs');
  });

  it('opens nothing by itself (SQL-03)', () => {
    sqlite(file);
    expect(existsSync(file)).toBe(false);
  });

  it('keeps nothing without a path, and says so (SQL-01)', async () => {
    for (const adapter of [sqlite(), sqlite(':memory:')]) {
      expect(adapter.ephemeral).toBe(true);
      await (await adapter.connect()).load('agents/x/1');
      await adapter.close?.();
    }
    expect(sqlite(file).ephemeral).toBe(false);
  });
});

describe('opening', () => {
  it('creates parent folders and a WAL file with the promised durability (SQL-02, SQL-04, SQL-09)', async () => {
    file = join(folder, 'a/b/flue.db');
    for (const [synchronous, level] of [
      ['full', 2],
      ['normal', 1],
    ] as const) {
      const db = await openDatabase(file, { synchronous, busyMs: 1000 });
      expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
      expect(db.pragma('synchronous', { simple: true })).toBe(level);
      expect(db.pragma('foreign_keys', { simple: true })).toBe(1);
      db.close();
    }
  });

  it('stamps a new store with its format and an id that stays (VER-01, VER-02)', async () => {
    await createStore();
    const stamp = () => new Database(file, { readonly: true }).prepare('SELECT * FROM flue_meta').all();
    const first = stamp();
    expect(first).toMatchObject([
      { name: 'database_id' },
      { name: 'format', value: '1' },
      { name: 'min_reader', value: '1' },
    ]);
    await createStore();
    expect(stamp()).toEqual(first);
  });

  it('lets several creators agree on one store (VER-04, CTS-01)', async () => {
    const adapters = Array.from({ length: 4 }, () => sqlite(file));
    await Promise.all(adapters.map((adapter) => adapter.migrate?.()));
    await Promise.all(adapters.map((adapter) => adapter.close?.()));
    const ids = new Database(file).prepare("SELECT value FROM flue_meta WHERE name = 'database_id'").all();
    expect(ids.length).toBe(1);
  });

  it('opens a newer format that still admits this reader (VER-02)', async () => {
    await createStore();
    change("UPDATE flue_meta SET value = '7' WHERE name = 'format'");
    const adapter = sqlite(file);
    const store = await adapter.connect();
    const { format } = await store.beat({ ownerId: 'o1', runtimeStart: 1, agents: [] }, { leaseMs: 1000 });
    expect(format).toEqual({ format: 7, minReader: 1 });
    await adapter.close?.();
  });

  it.each([
    ['too new a reader (VER-02)', "UPDATE flue_meta SET value = '2' WHERE name = 'min_reader'", 2],
    [
      'a stamp that is no number (VER-01)',
      "UPDATE flue_meta SET value = 'x' WHERE name = 'format'",
      'unknown',
    ],
    ['half a stamp (VER-01)', "DELETE FROM flue_meta WHERE name = 'min_reader'", 'unknown'],
    ['our tables without a stamp (VER-07)', 'DROP TABLE flue_meta', null],
  ])('refuses %s and leaves the file as it is (SQL-15, CTS-01)', async (_title, sql, storedVersion) => {
    await createStore();
    change(sql);
    const expectUntouched = remember();
    const adapter = sqlite(file);
    const error = await Promise.resolve(adapter.migrate?.()).catch((e) => e);
    expect(error).toMatchObject({
      name: 'PersistedFormatVersionError',
      type: 'persisted_format_version_unsupported',
      meta: { storedVersion, supportedVersion: 1 },
    });
    expect(error.dev).toContain(file);
    await adapter.close?.();
    expectUntouched();
  });

  it("leaves another application's database alone (VER-07)", async () => {
    change('CREATE TABLE customers (id INTEGER PRIMARY KEY)');
    const expectUntouched = remember();
    await expect(sqlite(file).connect()).rejects.toMatchObject({
      type: 'persisted_format_version_unsupported',
    });
    expectUntouched();
  });

  it('refuses what is no database at boot, naming file and remedy, and never replaces it (SQL-12)', async () => {
    writeFileSync(file, 'not a database, but someone may miss it'.repeat(100));
    const expectUntouched = remember();
    const error = await Promise.resolve(sqlite(file).connect()).catch((e) => e);
    expect(error).toMatchObject({ type: 'persistence_failure', status: 500, meta: { reason: 'corrupt' } });
    expect(error.dev).toContain(file);
    expect(error.dev).toContain('restore the file from a backup');
    expectUntouched();
  });

  it('fails at boot where no file can be, and may be tried again (ADP-02, ADP-07)', async () => {
    writeFileSync(join(folder, 'taken'), '');
    const adapter = sqlite(join(folder, 'taken', 'flue.db'));
    await expect(adapter.connect()).rejects.toMatchObject({
      type: 'persistence_failure',
      meta: { reason: 'unavailable' },
    });
    rmSync(join(folder, 'taken'));
    await adapter.connect();
    await adapter.close?.();
  });

  it('loses nothing when the WAL file of a closed store is deleted (SQL-14)', async () => {
    const adapter = sqlite(file);
    const store = await adapter.connect();
    await store.beat({ ownerId: 'o1', runtimeStart: 1, agents: [] }, { leaseMs: 1000 });
    await adapter.close?.();
    rmSync(`${file}-wal`, { force: true });
    const owners = new Database(file).prepare('SELECT owner_id FROM flue_owner').pluck().all();
    expect(owners).toEqual(['o1']);
  });
});
