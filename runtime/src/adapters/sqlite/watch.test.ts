import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WatchHint } from '../../ports/store.ts';
import { createWatchers, type Watchers } from './watch.ts';

let folder: string;
let db: Database.Database;
let other: Database.Database;
let watchers: Watchers;
let polls: number;

beforeEach(() => {
  vi.useFakeTimers();
  folder = mkdtempSync(join(tmpdir(), 'flue-watch-'));
  polls = 0;
  db = new Database(join(folder, 'flue.db'), { verbose: () => polls++ });
  db.pragma('journal_mode = WAL');
  other = new Database(join(folder, 'flue.db'));
  other.exec('CREATE TABLE t (n)');
  watchers = createWatchers(db, true);
  polls = 0;
});
afterEach(() => {
  watchers.close();
  for (const connection of [db, other]) connection.close();
  rmSync(folder, { recursive: true, force: true });
  vi.useRealTimers();
});

function listen(): WatchHint[] {
  const hints: WatchHint[] = [];
  watchers.watch((hint) => hints.push(hint));
  return hints;
}

describe('watching other processes', () => {
  it('looks every 500 ms for one listener and every 100 ms for a waiting reader (SQL-08)', () => {
    listen();
    polls = 0;
    vi.advanceTimersByTime(5000);
    expect(polls).toBe(10);
    listen();
    polls = 0;
    vi.advanceTimersByTime(5000);
    expect(polls).toBe(50);
  });

  it('looks every 100 ms while work is held (SQL-08)', () => {
    listen();
    watchers.held.add('agents/x/1');
    vi.advanceTimersByTime(500);
    polls = 0;
    vi.advanceTimersByTime(1000);
    expect(polls).toBe(10);
  });

  it('looks at nothing while nobody listens (SQL-08)', () => {
    const stop = watchers.watch(() => {});
    stop();
    polls = 0;
    vi.advanceTimersByTime(60_000);
    expect(polls).toBe(0);
  });

  it('hints once per change, and never of its own writes (SQL-08)', () => {
    const hints = listen();
    db.exec('INSERT INTO t VALUES (1)');
    vi.advanceTimersByTime(2000);
    expect(hints).toEqual([]);
    other.exec('INSERT INTO t VALUES (2)');
    vi.advanceTimersByTime(2000);
    expect(hints).toEqual(['any']);
  });

  it('still fires when readers come and go faster than it does (SQL-08, QRY-07)', () => {
    const hints = listen();
    other.exec('INSERT INTO t VALUES (1)');
    for (let i = 0; i < 20; i++) {
      const stop = watchers.watch(() => {});
      vi.advanceTimersByTime(50);
      stop();
    }
    expect(hints).toEqual(['any']);
  });
});
