import Database from 'better-sqlite3';

/** What reached the driver, transaction control apart. */
export interface SqliteCalls {
  statements: number;
  /** that may write */
  transactions: number;
  prepares: number;
}

const seen: SqliteCalls = { statements: 0, transactions: 0, prepares: 0 };
const bySource = new Map<string, number>();
let last: [source: string, times: number][] = [];

interface Statement {
  readonly source: string;
  [method: string]: unknown;
}

const CONTROL = /^\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/i;

/** Counts from here on, for this process. Both sides of a comparison pay for the counting. */
export function countSqliteCalls(): void {
  const probe = new Database(':memory:');
  const statements = Object.getPrototypeOf(probe.prepare('SELECT 1')) as Record<string, unknown>;
  probe.close();
  for (const method of ['run', 'get', 'all', 'iterate']) {
    wrap(statements, method, function count(this: Statement) {
      bySource.set(this.source, (bySource.get(this.source) ?? 0) + 1);
      if (!CONTROL.test(this.source)) seen.statements++;
      else if (/^\s*BEGIN (IMMEDIATE|EXCLUSIVE)/i.test(this.source)) seen.transactions++;
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
  bySource.clear();
  await work();
  last = [...bySource].sort(([, a], [, b]) => b - a);
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
