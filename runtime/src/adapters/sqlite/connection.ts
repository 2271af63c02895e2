import type { Database } from 'better-sqlite3';

/**
 * What an operation works on. Each `prepare*` function compiles its statements once and returns the operation, a
 * synchronous function that runs inside a transaction begun by its caller.
 */
export interface Connection {
  readonly db: Database;
  /** the store's clock, epoch milliseconds */
  readonly now: () => number;
}
