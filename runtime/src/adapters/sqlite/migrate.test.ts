import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STORE_FORMAT } from '../../ports/store.ts';
import { FORMAT_LINE, type FormatLine, type MigrationStep } from './migrate.ts';
import { openDatabase } from './open.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flue-migrate-'));
  file = join(folder, 'flue.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Formats that a later runtime may have: 2 adds a table, 3 rewrites what is in it. */
const TO_2: MigrationStep = {
  from: 1,
  minReader: 1,
  rewrites: false,
  apply: (db) => db.exec("CREATE TABLE flue_note (text TEXT NOT NULL); INSERT INTO flue_note VALUES ('a')"),
};
const TO_3: MigrationStep = {
  from: 2,
  minReader: 3,
  rewrites: true,
  apply: (db) => db.exec("UPDATE flue_note SET text = text || '3'"),
};
const TO_4: MigrationStep = { ...TO_3, from: 3, minReader: 4 };

function line(...steps: MigrationStep[]): FormatLine {
  const last = steps.at(-1);
  return { format: steps.length + 1, minReader: last?.minReader ?? 1, steps };
}

async function openAs(formats: FormatLine, busyMs = 1000): Promise<void> {
  const db = await openDatabase(file, { synchronous: 'full', busyMs }, formats);
  db.close();
}

function look(at = file): { format: number; minReader: number; notes: string[] } {
  const db = new Database(at, { readonly: true });
  try {
    const stamp = new Map(db.prepare('SELECT name, value FROM flue_meta').raw().all() as [string, string][]);
    const hasNotes = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'flue_note'").get();
    const notes = hasNotes ? (db.prepare('SELECT text FROM flue_note').pluck().all() as string[]) : [];
    return { format: Number(stamp.get('format')), minReader: Number(stamp.get('min_reader')), notes };
  } finally {
    db.close();
  }
}

const copies = () => readdirSync(folder).filter((name) => name.includes('.bak-'));

describe('a store of an older format', () => {
  it('moves forward in place, step by step, each with its stamp (VER-03)', async () => {
    await openAs(FORMAT_LINE);
    await openAs(line(TO_2));
    expect(look()).toEqual({ format: 2, minReader: 1, notes: ['a'] });
    await openAs(line(TO_2, TO_3, TO_4));
    expect(look()).toEqual({ format: 4, minReader: 4, notes: ['a33'] });
    await openAs(line(TO_2, TO_3, TO_4));
    expect(look().notes).toEqual(['a33']);
  });

  it('resumes behind the last completed step after a crash between or in one (VER-03, CTS-01)', async () => {
    await openAs(FORMAT_LINE);
    const dies: MigrationStep = {
      ...TO_3,
      apply(db) {
        TO_3.apply(db);
        throw new Error('the power went');
      },
    };
    await expect(openAs(line(TO_2, dies))).rejects.toThrow('the power went');
    expect(look()).toEqual({ format: 2, minReader: 1, notes: ['a'] });
    await openAs(line(TO_2, TO_3));
    expect(look()).toEqual({ format: 3, minReader: 3, notes: ['a3'] });
  });

  it('is copied before a step that rewrites rows, and the newest copy is kept (VER-06)', async () => {
    await openAs(FORMAT_LINE);
    await openAs(line(TO_2));
    expect(copies()).toEqual([]);
    await openAs(line(TO_2, TO_3));
    expect(copies()).toEqual(['flue.db.bak-2']);
    expect(look(`${file}.bak-2`)).toEqual({ format: 2, minReader: 1, notes: ['a'] });
    await openAs(line(TO_2, TO_3, TO_4));
    expect(copies()).toEqual(['flue.db.bak-3']);
    expect(look(`${file}.bak-3`)).toEqual({ format: 3, minReader: 3, notes: ['a3'] });
  });

  it('is migrated once when several boot at the same time (VER-04)', async () => {
    await openAs(FORMAT_LINE);
    const newest = line(TO_2, TO_3, TO_4);
    await Promise.all(Array.from({ length: 4 }, () => openAs(newest)));
    expect(look()).toEqual({ format: 4, minReader: 4, notes: ['a33'] });
    expect(copies()).toEqual(['flue.db.bak-3']);
    expect(look(`${file}.bak-3`).format).toBe(3);
  });

  it('is waited for longer than an ordinary write while another process migrates it (VER-04)', async () => {
    const busyMs = 1;
    await openAs(FORMAT_LINE);
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    let open = false;
    const opened = openAs(line(TO_2), busyMs).finally(() => {
      open = true;
    });
    const began = performance.now();
    while (performance.now() - began < 20 * busyMs) await new Promise((resolve) => setImmediate(resolve));
    expect(open).toBe(false);
    other.exec('COMMIT');
    other.close();
    await opened;
    expect(look().format).toBe(2);
  });

  it('is refused by the runtime that it has left behind, and stays readable to it until then (VER-02)', async () => {
    await openAs(FORMAT_LINE);
    await openAs(line(TO_2));
    await openAs(FORMAT_LINE);
    expect(look().format).toBe(2);
    await openAs(line(TO_2, TO_3));
    await expect(openAs(FORMAT_LINE)).rejects.toMatchObject({
      type: 'persisted_format_version_unsupported',
      meta: { storedVersion: 3, supportedVersion: 1 },
    });
  });
});

describe('a new store', () => {
  it('begins at the newest format and needs no copy (VER-01)', async () => {
    await openAs({ ...line(TO_2, TO_3) });
    expect(look()).toMatchObject({ format: 3, minReader: 3 });
    expect(copies()).toEqual([]);
  });
});

it('leads from every format before the present one to it (VER-03)', () => {
  const froms = FORMAT_LINE.steps.map(({ from }) => from);
  expect(froms).toEqual(Array.from({ length: STORE_FORMAT.format - 1 }, (_, index) => index + 1));
});
