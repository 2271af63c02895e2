import { openDatabase } from './open.ts';
import { createStore } from './store.ts';

/**
 * A process that dies by SIGKILL just before its n-th driver call of one operation: `node crash.fixture.ts <file> <n>`.
 * It prints `done` when the operation was over sooner.
 */
const [file = '', at = '0', operation = '{}'] = process.argv.slice(2);
let remaining = Number.POSITIVE_INFINITY;

const db = await openDatabase(file, { synchronous: 'full', busyMs: 5000 });
const prepare = db.prepare.bind(db);
db.prepare = ((sql: string) => {
  const statement = prepare(sql);
  for (const method of ['run', 'get', 'all'] as const) {
    const execute = statement[method].bind(statement) as (...args: unknown[]) => unknown;
    Object.assign(statement, {
      [method]: (...args: unknown[]) => {
        if (--remaining < 0) process.kill(process.pid, 'SIGKILL');
        return execute(...args);
      },
    });
  }
  return statement;
}) as typeof db.prepare;

const { store } = createStore(db, { file, synchronous: 'full', busyMs: 5000, now: Date.now, shared: true });
remaining = Number(at);
const { admit, commit } = JSON.parse(operation, revive);
if (admit) await store.admit(admit);
if (commit) await store.commit(commit.fence, commit.commit);
process.stdout.write('done');
process.kill(process.pid, 'SIGKILL');

/** Bytes travel as arrays of numbers. */
function revive(key: string, value: unknown): unknown {
  return key === 'bytes' ? new Uint8Array(value as number[]) : value;
}
