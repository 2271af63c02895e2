import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { PersistenceError } from '../../ports/store-errors.ts';
import { isBusy, toPersistenceError } from './failures.ts';
import { FORMAT_LINE, type FormatLine, migrate } from './migrate.ts';
import { META_SCHEMA, SCHEMA } from './schema.ts';
import { readStamp } from './stamp.ts';

export const MEMORY = ':memory:';

/** The longest stretch for which the driver itself may block on a lock, milliseconds (SQL-06). */
const BLOCKING_WAIT_MS = 5;

/**
 * Bytes of a page in a new file. A commit touches about ten B-trees and few rows in each, and what it writes and syncs
 * are whole pages: half the engine's default makes a reply a fifth faster.
 */
const PAGE_SIZE = 2048;

/** How long a boot waits for another process that migrates the store, milliseconds; a large file takes its time. */
const MIGRATION_WAIT_MS = 600_000;

/** WAL bytes after which a commit copies them back passively (SQL-09). */
const CHECKPOINT_BYTES = 4 * 1024 * 1024;

export interface OpenOptions {
  readonly synchronous: 'full' | 'normal';
  readonly busyMs: number;
}

/**
 * Opens a store, creating and stamping it when it is new and migrating it when it is older. A file that this runtime
 * must not touch is judged through a read-only connection first, so it keeps every byte and its modification time
 * (SQL-15).
 */
export async function openDatabase(
  path: string,
  options: OpenOptions,
  line: FormatLine = FORMAT_LINE,
): Promise<Database.Database> {
  const file = path === MEMORY ? path : resolve(path);
  try {
    const db = await retryBusy(options.busyMs, () => open(file, options, line));
    return await migrated(db, file, line);
  } catch (error) {
    throw toPersistenceError(error, file);
  }
}

async function migrated(db: Database.Database, file: string, line: FormatLine): Promise<Database.Database> {
  try {
    await migrate(db, file, line, (work) => retryBusy(MIGRATION_WAIT_MS, work));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function open(file: string, options: OpenOptions, line: FormatLine): Database.Database {
  if (file !== MEMORY) {
    mkdirSync(dirname(file), { recursive: true });
    if (existsSync(file) && statSync(file).size > 0) inspect(file, line);
  }
  const db = new Database(file, { timeout: BLOCKING_WAIT_MS });
  try {
    configure(db, file, options);
    if (readStamp(db, file, line) === undefined) createOnce(db, file, line);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function inspect(file: string, line: FormatLine): void {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: BLOCKING_WAIT_MS });
  try {
    readStamp(db, file, line);
  } finally {
    db.close();
  }
}

function configure(db: Database.Database, file: string, options: OpenOptions): void {
  db.pragma(`page_size = ${PAGE_SIZE}`);
  const mode = db.pragma('journal_mode = WAL', { simple: true });
  if (mode !== (file === MEMORY ? 'memory' : 'wal')) {
    throw new PersistenceError({
      reason: 'unavailable',
      dev: `${file}: the engine answers journal mode "${mode}" instead of "wal". Network file systems are unsupported; use a local disk.`,
    });
  }
  db.pragma(`synchronous = ${options.synchronous === 'full' ? 'FULL' : 'NORMAL'}`);
  db.pragma('foreign_keys = ON');
  db.pragma('temp_store = MEMORY');
  const pageSize = db.pragma('page_size', { simple: true }) as number;
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_BYTES / pageSize}`);
}

/** Of several processes one creates; the others wait for the lock and find the work done (VER-04). */
function createOnce(db: Database.Database, file: string, line: FormatLine): void {
  db.transaction(() => {
    if (readStamp(db, file, line) !== undefined) return;
    db.exec(META_SCHEMA);
    const stamp = db.prepare('INSERT INTO flue_meta (name, value) VALUES (?, ?)');
    stamp.run('format', String(line.format));
    stamp.run('min_reader', String(line.minReader));
    stamp.run('database_id', randomUUID());
    db.exec(SCHEMA);
  }).immediate();
}

/** Runs `attempt` until it gets its lock, yielding between tries (SQL-06, VER-04). */
export async function retryBusy<T>(busyMs: number, attempt: () => T | Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + busyMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error;
      await delay(1 + Math.random() * 10);
    }
  }
}
