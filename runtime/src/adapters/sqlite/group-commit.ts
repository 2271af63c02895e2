import type { Database } from 'better-sqlite3';
import { PersistenceError } from '../../ports/store-errors.ts';
import { isBusy, toPersistenceError } from './failures.ts';

/**
 * Group commit: what is written in one event-loop turn shares one transaction and one sync (SQL-05).
 *
 * I1. An operation is a function of the database alone: it may run again after a rollback, and nobody sees its result
 *     before the transaction that holds it has committed.
 * I2. Each operation succeeds or fails alone. A group first runs without savepoints, since failures are rare and
 *     savepoints are not free; when a member throws, the whole group rolls back and runs again with them.
 * I3. A failure of the transaction itself (a full disk ends it) replays the members one by one, so it reaches only the
 *     members that cause it.
 * I4. Between `begin` and `commit` the event loop is never left, so no read sees an open transaction.
 * I5. The members of a committed group are told in slices, one for each turn of the event loop, and the next group
 *     waits for the last of them: whoever is told goes on at once, and a hundred attempts that fold and render in one
 *     turn hold up everything else, while their next writes still share one sync.
 */
export interface WriteGroup {
  /**
   * `sync: false` asks for no sync of its own, for what may be lost with the power (SQL-09): a beat, and a claim, which
   * promises nobody anything. Syncs keep their order, so whatever an owner writes under a claim carries the claim along.
   */
  write<T>(operation: () => T, options?: { readonly sync?: boolean }): Promise<T>;
  /** Resolves when everything written so far has settled. */
  drain(): Promise<void>;
}

export interface WriteGroupOptions {
  readonly file: string;
  readonly synchronous: 'full' | 'normal';
  /** how long an operation may wait for the write lock, milliseconds */
  readonly busyMs: number;
}

type Mode = 'shared' | 'guarded' | 'alone';

interface Member {
  readonly operation: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly sync: boolean;
  readonly giveUpAt: number;
  mode: Mode;
}

/** Bounds how long one group holds the event loop. */
const MAX_MEMBERS = 512;

/** How long what follows from one slice may take, milliseconds: below it slices grow, above twice of it they shrink (I5). */
const SLICE_MS = 4;
const LEAST_SLICE = 8;

export function createWriteGroup(db: Database, options: WriteGroupOptions): WriteGroup {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const savepoint = db.prepare('SAVEPOINT member');
  const undo = db.prepare('ROLLBACK TO member');
  const keep = db.prepare('RELEASE member');

  const queue: Member[] = [];
  let idle: (() => void)[] = [];
  let scheduled = false;
  /** members of a committed group that are not told yet */
  let untold: (() => void)[] = [];
  let slice = 2 * LEAST_SLICE;
  /** set once the engine reports damage: what is damaged is read but never written again (SQL-12) */
  let damage: unknown;

  return {
    write<T>(operation: () => T, o: { readonly sync?: boolean } = {}): Promise<T> {
      if (damage) return Promise.reject(damage);
      return new Promise<T>((resolve, reject) => {
        queue.push({
          operation,
          resolve: resolve as (value: unknown) => void,
          reject,
          sync: o.sync ?? true,
          giveUpAt: performance.now() + options.busyMs,
          mode: 'shared',
        });
        schedule();
      });
    },
    drain: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };

  function isIdle(): boolean {
    return queue.length === 0 && untold.length === 0;
  }

  function schedule(delayMs?: number): void {
    if (scheduled || untold.length > 0) return;
    scheduled = true;
    if (delayMs === undefined) setImmediate(flush);
    else setTimeout(flush, delayMs);
  }

  function flush(): void {
    scheduled = false;
    const group = takeGroup();
    if (group.length === 0) return;
    try {
      runGroup(group);
      if (untold.length > slice) setImmediate(tell);
      else tell();
      return;
    } catch (error) {
      if (isBusy(error) && !db.inTransaction) waitForLock(group, error);
      else abandon(group, error);
    }
    goOn();
  }

  function goOn(): void {
    if (queue.length > 0) schedule();
    if (!isIdle()) return;
    for (const resolve of idle) resolve();
    idle = [];
  }

  function tell(): void {
    const began = performance.now();
    for (const settled of untold.splice(0, slice)) settled();
    if (untold.length === 0) {
      goOn();
      return;
    }
    // What follows runs before the next turn, so that turn knows how long it took.
    setImmediate(() => {
      const spent = performance.now() - began;
      if (spent > 2 * SLICE_MS) slice = Math.max(LEAST_SLICE, slice >> 1);
      else if (spent < SLICE_MS) slice = Math.min(MAX_MEMBERS, slice * 2);
      tell();
    });
  }

  /** The oldest members that run in the same way. */
  function takeGroup(): Member[] {
    const mode = queue[0]?.mode;
    const limit = mode === 'alone' ? 1 : MAX_MEMBERS;
    const end = queue.findIndex((member, index) => index === limit || member.mode !== mode);
    return queue.splice(0, end === -1 ? queue.length : end);
  }

  function runGroup(group: Member[]): void {
    const sync = options.synchronous === 'full' && group.some((member) => member.sync);
    if (!sync && options.synchronous === 'full') db.pragma('synchronous = NORMAL');
    try {
      begin.run();
      const guarded = group[0]?.mode === 'guarded';
      const settle = group.map((member) => (guarded ? runGuarded(member) : runPlain(member)));
      commit.run();
      untold = settle;
    } finally {
      if (!sync && options.synchronous === 'full' && !db.inTransaction) db.pragma('synchronous = FULL');
    }
  }

  function runPlain(member: Member): () => void {
    const value = member.operation();
    return () => member.resolve(value);
  }

  function runGuarded(member: Member): () => void {
    savepoint.run();
    try {
      const value = member.operation();
      keep.run();
      return () => member.resolve(value);
    } catch (error) {
      if (!db.inTransaction) throw error;
      undo.run();
      keep.run();
      return () => fail(member, error);
    }
  }

  /** What cannot share a transaction gets a more careful one; alone, its failure is its own (I2, I3). */
  function abandon(group: Member[], error: unknown): void {
    if (db.inTransaction) rollback.run();
    const [first] = group;
    if (!first) return;
    if (group.length === 1) {
      fail(first, error);
      return;
    }
    const mode = first.mode === 'shared' ? 'guarded' : 'alone';
    for (const member of group) member.mode = mode;
    queue.unshift(...group);
  }

  /** The lock is another process's: the event loop goes on, and the same members try again a little later (SQL-06). */
  function waitForLock(group: Member[], error: unknown): void {
    const now = performance.now();
    const waiting = group.filter((member) => member.giveUpAt > now);
    for (const member of group) if (member.giveUpAt <= now) fail(member, error);
    queue.unshift(...waiting);
    schedule(1 + Math.random() * 10);
  }

  function fail(member: Member, error: unknown): void {
    const failure = toPersistenceError(error, options.file);
    if (failure instanceof PersistenceError && failure.reason === 'corrupt') damage = failure;
    member.reject(failure);
  }
}
