import Database from 'better-sqlite3';

/** What reached the driver, transaction control apart. */
export interface SqliteCalls {
  statements: number;
  /** that may write */
  transactions: number;
  prepares: number;
}

interface Statement {
  readonly source: string;
  [method: string]: unknown;
}

/** What is known of one prepared statement. */
interface Tally {
  readonly source: string;
  readonly counts: 'statements' | 'transactions' | undefined;
  times: number;
}

const seen: SqliteCalls = { statements: 0, transactions: 0, prepares: 0 };
/** The driver copies the text of a statement each time it is asked, so it is asked once. */
const tallies = new WeakMap<Statement, Tally>();
let ran = new Set<Tally>();
let last: [source: string, times: number][] = [];

const WRITES = /^\s*BEGIN (IMMEDIATE|EXCLUSIVE)/i;
const CONTROL = /^\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|PRAGMA synchronous)/i;

/** Counts from here on, for this process. */
export function countSqliteCalls(): void {
  const probe = new Database(':memory:');
  const statements = Object.getPrototypeOf(probe.prepare('SELECT 1')) as Record<string, unknown>;
  probe.close();
  for (const method of ['run', 'get', 'all', 'iterate']) {
    wrap(statements, method, function count(this: Statement) {
      const tally = tallyOf(this);
      tally.times++;
      if (tally.counts) seen[tally.counts]++;
    });
  }
  const databases = Database.prototype as unknown as Record<string, unknown>;
  wrap(databases, 'prepare', () => {
    seen.prepares++;
  });
  wrap(databases, 'exec', () => {
    seen.statements++;
  });
}

function tallyOf(statement: Statement): Tally {
  let tally = tallies.get(statement);
  if (!tally) {
    const { source } = statement;
    const counts = WRITES.test(source) ? 'transactions' : CONTROL.test(source) ? undefined : 'statements';
    tally = { source, counts, times: 0 };
    tallies.set(statement, tally);
  }
  ran.add(tally);
  return tally;
}

function wrap(target: Record<string, unknown>, method: string, before: (this: Statement) => void): void {
  const original = target[method] as (this: unknown, ...args: unknown[]) => unknown;
  target[method] = function counted(this: Statement, ...args: unknown[]) {
    before.call(this);
    return original.apply(this, args);
  };
}

/** What reached the driver while `work` ran, whoever asked for it. */
export async function callsDuring(work: () => Promise<unknown>): Promise<SqliteCalls> {
  const before = { ...seen };
  for (const tally of ran) tally.times = 0;
  ran = new Set();
  await work();
  last = [...ran].map(({ source, times }): [string, number] => [source, times]).sort(([, a], [, b]) => b - a);
  return {
    statements: seen.statements - before.statements,
    transactions: seen.transactions - before.transactions,
    prepares: seen.prepares - before.prepares,
  };
}

/** How often each statement ran in the last `callsDuring()`, most often first. */
export function statementsBySource(): readonly (readonly [source: string, times: number])[] {
  return last;
}
