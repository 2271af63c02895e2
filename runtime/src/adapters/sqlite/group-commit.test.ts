import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWriteGroup, type WriteGroup } from './group-commit.ts';

let db: Database.Database;
let group: WriteGroup;
let log: string[];

beforeEach(() => {
  log = [];
  db = new Database(':memory:', { verbose: (sql) => log.push(String(sql)) });
  db.exec('CREATE TABLE t (n INTEGER PRIMARY KEY)');
  group = createWriteGroup(db, { file: ':memory:', synchronous: 'full', busyMs: 1000 });
  log.length = 0;
});
afterEach(() => db.close());

function insert(n: number): () => number {
  return () => {
    db.prepare('INSERT INTO t VALUES (?)').run(n);
    return n;
  };
}

function insertAndFail(n: number): () => never {
  return () => {
    insert(n)();
    throw new Error(`${n} fails`);
  };
}

const stored = () => db.prepare('SELECT n FROM t ORDER BY n').pluck().all();
const transactions = () =>
  log.filter((sql) => /^(BEGIN|SAVEPOINT|COMMIT)/.test(sql)).map((sql) => sql.split(' ')[0]);

describe('group commit', () => {
  it('one turn is one transaction, without savepoints (SQL-05)', async () => {
    const results = await Promise.all([1, 2, 3].map((n) => group.write(insert(n))));
    expect(results).toEqual([1, 2, 3]);
    expect(transactions()).toEqual(['BEGIN', 'COMMIT']);
  });

  it('whoever waits for a large one is told over several turns, and what they write next is one again (SQL-05, ADP-06)', async () => {
    const toldIn = new Map<number, number>();
    let turn = 0;
    let counting = true;
    const count = () => {
      turn += 1;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    const inTurn = async (n: number) => {
      await group.write(insert(n));
      toldIn.set(turn, (toldIn.get(turn) ?? 0) + 1);
      await group.write(insert(1000 + n));
    };
    await Promise.all(Array.from({ length: 200 }, (_, n) => inTurn(n)));
    counting = false;
    expect(transactions()).toEqual(['BEGIN', 'COMMIT', 'BEGIN', 'COMMIT']);
    expect(toldIn.size).toBeGreaterThanOrEqual(3);
    expect([...toldIn.values()][0]).toBeLessThanOrEqual(16);
    expect(stored()).toHaveLength(400);
  });

  it('separate turns are separate transactions (SQL-05)', async () => {
    await group.write(insert(1));
    await group.write(insert(2));
    expect(transactions()).toEqual(['BEGIN', 'COMMIT', 'BEGIN', 'COMMIT']);
  });

  it('a member that fails takes back its own writes alone (SQL-05)', async () => {
    const settled = await Promise.allSettled([
      group.write(insert(1)),
      group.write(insertAndFail(2)),
      group.write(insert(3)),
    ]);
    expect(settled.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(stored()).toEqual([1, 3]);
  });

  it('a failure alone costs no savepoint (SQL-05)', async () => {
    await expect(group.write(insertAndFail(1))).rejects.toThrow('1 fails');
    expect(stored()).toEqual([]);
    expect(transactions()).toEqual(['BEGIN']);
  });

  it('a failure that ends the transaction reaches only its member (SQL-05)', async () => {
    const endTransaction = () => {
      db.exec('ROLLBACK');
      throw new Error('the engine rolled back');
    };
    const settled = await Promise.allSettled([
      group.write(insert(1)),
      group.write(endTransaction),
      group.write(insert(3)),
    ]);
    expect(settled.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(stored()).toEqual([1, 3]);
  });

  it('nobody sees a result before its transaction is committed (SQL-05)', async () => {
    let open: boolean | undefined;
    await group.write(insert(1)).then(() => {
      open = db.inTransaction;
    });
    expect(open).toBe(false);
  });

  it('what is written while a group settles goes into the next one (SQL-05)', async () => {
    const follow = group.write(insert(1)).then(() => group.write(insert(2)));
    await Promise.all([follow, group.write(insert(3))]);
    expect(stored()).toEqual([1, 2, 3]);
    expect(transactions()).toEqual(['BEGIN', 'COMMIT', 'BEGIN', 'COMMIT']);
  });

  it('what needs no sync gets none of its own, and shares that of others (SQL-09)', async () => {
    const level = () => db.pragma('synchronous', { simple: true });
    expect(await group.write(level, { sync: false })).toBe(1);
    expect(await Promise.all([group.write(level, { sync: false }), group.write(level)])).toEqual([2, 2]);
    expect(level()).toBe(2);
  });

  it('drains everything, what waits behind a large group included (SQL-14)', async () => {
    const writes = Array.from({ length: 1500 }, (_, n) => group.write(insert(n)));
    await group.drain();
    expect(stored().length).toBe(1500);
    await Promise.all(writes);
    await group.drain();
  });
});
