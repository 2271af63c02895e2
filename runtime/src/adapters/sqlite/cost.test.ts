import type Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatOffset } from '../../ports/offset.ts';
import type { FlueStore } from '../../ports/store.ts';
import { admission, beat, claimHead, commit, fenceOf, PATH } from '../../testing/store-contract/givens.ts';
import { openDatabase } from './open.ts';
import { createStore, type OpenStore } from './store.ts';

/** Calls of each statement since the last reset, by its text. */
const calls = new Map<string, number>();
const texts: string[] = [];

let db: Database.Database;
let opened: OpenStore;
let store: FlueStore;

beforeEach(async () => {
  db = await openDatabase(':memory:', { synchronous: 'full', busyMs: 1000 });
  calls.clear();
  texts.length = 0;
  recordStatements();
  opened = createStore(db, {
    file: ':memory:',
    synchronous: 'full',
    busyMs: 1000,
    now: Date.now,
    shared: false,
  });
  store = opened.store;
});
afterEach(() => opened.close());

/** Every statement that the store prepares from now on reports its text and counts its executions. */
function recordStatements(): void {
  const prepare = db.prepare.bind(db);
  db.prepare = ((sql: string) => {
    const statement = prepare(sql);
    const text = sql.trim().replace(/\s+/g, ' ');
    texts.push(text);
    for (const method of ['run', 'get', 'all', 'iterate'] as const) {
      const execute = statement[method].bind(statement) as (...args: unknown[]) => unknown;
      Object.assign(statement, {
        [method]: (...args: unknown[]) => {
          calls.set(text, (calls.get(text) ?? 0) + 1);
          return execute(...args);
        },
      });
    }
    return statement;
  }) as typeof db.prepare;
}

const TRANSACTION = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/;

function count(matches: (text: string) => boolean): number {
  return [...calls].filter(([text]) => matches(text)).reduce((sum, [, n]) => sum + n, 0);
}

function plansOf(text: string): string[] {
  const names = [...new Set([...text.matchAll(/@(\w+)/g)].map((match) => match[1] as string))];
  const explain = db.prepare(`EXPLAIN QUERY PLAN ${text}`);
  const rows = names.length
    ? explain.all(Object.fromEntries(names.map((name) => [name, '[]'])))
    : explain.all(...Array.from(text.matchAll(/\?/g), () => 1));
  return (rows as { detail: string }[]).map((row) => row.detail);
}

describe('cost', () => {
  it('a reply with one tool call is 6 transactions and at most 25 statements, none prepared for it (CTS-13)', async () => {
    await beat(store, 'o1');
    const prepared = texts.length;
    calls.clear();
    await store.admit(admission({ submissionId: 's1' }));
    const fence = fenceOf(await claimHead(store, 'o1', { limit: 1 }), 'o1');
    await store.commit(fence, commit(1, { rows: [{ submissionId: 's1', to: 'running' }] }));
    await store.commit(fence, commit(2));
    await store.commit(fence, commit(3));
    const rows = [{ submissionId: 's1', to: 'settled', outcome: 'completed' }] as const;
    await store.commit(fence, commit(4, { rows, checkpoint: { foldFormat: 1, data: '{}' } }));
    expect(count((text) => text === 'COMMIT')).toBe(6);
    expect(count((text) => !TRANSACTION.test(text))).toBeLessThanOrEqual(23);
    expect(texts.length).toBe(prepared);
  });

  it('what one instance writes touches no row of another, and nothing runs inside the database (PRM-01, PRM-02)', async () => {
    const other = admission({ submissionId: 'o1', path: 'agents/orders/other' });
    await store.admit(other);
    await beat(store, 'a');
    await store.claim('a', { agents: ['orders'], limit: 1, dead: [], alive: [], hungOwnerMs: 30_000 });
    const rowsOfOther = () => {
      const instance = db.prepare('SELECT * FROM flue_instance WHERE path = ?').get(other.path) as {
        id: number;
      };
      const batches = 'SELECT * FROM flue_batch WHERE key >> 32 = ?';
      return [
        instance,
        ...['SELECT * FROM flue_submission WHERE instance = ?', batches].map((text) =>
          db.prepare(text).all(instance.id),
        ),
      ];
    };
    const before = rowsOfOther();
    // Bodies are text to the store: it takes what no fold would.
    await store.admit(admission({ submissionId: 's1', accepted: 'no JSON at all' }));
    await store.admit(admission({ submissionId: 's2' }));
    const fence = fenceOf(await claimHead(store, 'a'), 'a');
    await store.commit(fence, commit(1, { records: ['{'], rows: [{ submissionId: 's1', to: 'running' }] }));
    await store.abort(PATH, { submissionId: 's2' });
    await store.commit(
      fence,
      commit(2, { rows: [{ submissionId: 's1', to: 'settled', outcome: 'failed' }] }),
    );
    expect(rowsOfOther()).toEqual(before);
    const kinds = db.prepare('SELECT DISTINCT type FROM sqlite_schema ORDER BY type').pluck().all();
    expect(kinds).toEqual(['index', 'table']);
  });

  it('no statement scans one of the growing tables (CTS-13, SQL-16)', async () => {
    // Renaming an identity is maintenance: it walks the instances once, and an index for it would cost every admission.
    const renaming = 'SELECT id, path FROM flue_instance WHERE agent = ? ORDER BY id';
    const statements = texts.filter((text) => /^(SELECT|UPDATE|DELETE|WITH)/.test(text) && text !== renaming);
    expect(statements.length).toBeGreaterThan(20);
    const scans = statements.flatMap((text) =>
      plansOf(text)
        .filter((detail) => /^SCAN/.test(detail) && !/^SCAN (json_each|p |flue_meta|o$)/.test(detail))
        .map((detail) => `${detail} in ${text}`),
    );
    expect(scans).toEqual([]);
  });

  it('waiting heads come from their index in order, without a sort (CTS-13, SQL-16)', () => {
    const waiting = texts.find((text) => text.includes("'none' AS reason")) as string;
    const plan = plansOf(waiting);
    // Waiting heads are the left side of the merge, what dead owners left is the right one.
    const side = plan.slice(plan.indexOf('LEFT'), plan.indexOf('RIGHT')).join('\n');
    expect(side).toContain('USING INDEX flue_instance_runnable (owner=? AND head_row>?)');
    expect(side).not.toContain('TEMP B-TREE');
  });

  it('a commit, a claim and two reads cost the same at 1,000 and 100,000 batches (CTS-13, CMT-09, CKP-05, FLT-18)', async () => {
    await store.admit(admission({ submissionId: 's1' }));
    await beat(store, 'o1');
    const costs = [];
    for (const length of [1_000, 100_000]) {
      lengthenTo(length);
      calls.clear();
      const { path, epoch } = await claimHead(store, 'o1', { paths: [PATH] });
      await store.commit({ path, epoch, ownerId: 'o1' }, commit(1));
      const tail = await store.read(PATH, { before: formatOffset(length + 2), limit: 10 });
      const reconnect = await store.read(PATH, { after: formatOffset(length - 9) });
      expect([tail.batches.length, reconnect.batches.length]).toEqual([10, 10]);
      costs.push([...calls].map(([text, n]) => [text, n, plansOf(text)]));
    }
    expect(costs[0]?.length).toBeGreaterThan(8);
    expect(costs[1]).toEqual(costs[0]);
  });

  it('a long read leaves the event loop its turns (ADP-06)', async () => {
    await store.admit(admission({ submissionId: 's1' }));
    await beat(store, 'o1');
    const fence = fenceOf(await claimHead(store, 'o1'), 'o1');
    const records = [JSON.stringify('x'.repeat(512 * 1024))];
    for (let seq = 1; seq <= 10; seq++) await store.commit(fence, commit(seq, { records }));
    let turns = 0;
    let reading = true;
    const tick = () => {
      turns++;
      if (reading) setImmediate(tick);
    };
    setImmediate(tick);
    const { batches } = await store.read(PATH, {});
    reading = false;
    expect(batches.length).toBe(11);
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  /** A history as if `length` batches had been committed. */
  function lengthenTo(length: number): void {
    db.exec(`
      WITH RECURSIVE n (batch) AS (SELECT (SELECT head + 1 FROM flue_instance) UNION ALL SELECT batch + 1 FROM n WHERE batch < ${length})
      INSERT INTO flue_batch (key, epoch, seq, draft, records) SELECT (1 << 32) + batch, 0, 0, 0, '{}' FROM n;
      UPDATE flue_instance SET head = ${length}`);
  }
});
