import { misuse } from '../../errors/flue-error.ts';
import type { FlueStore, PersistenceAdapter } from '../../ports/store.ts';
import { PersistenceError } from '../../ports/store-errors.ts';
import { MEMORY, openDatabase } from './open.ts';
import { createStore, type OpenStore } from './store.ts';

export interface SqliteOptions {
  /**
   * `'full'`: what was accepted survives power loss. `'normal'`: it survives a crash of the process.
   * @default 'full'
   */
  readonly synchronous?: 'full' | 'normal';
  /**
   * How long an operation waits for another process's write, milliseconds, before it fails as `busy`; at most 5000
   * (ADP-08).
   * @default 5000
   */
  readonly busyMs?: number;
}

/** Default and limit of `busyMs`. */
const BUSY_MS = 5000;

/**
 * The bundled store. Without a path, or with `':memory:'`, it lives as long as the process; a path persists. Nothing is
 * opened before `migrate()` or `connect()` (SQL-01..SQL-04).
 *
 * @throws when the path is blank or an option is not one of the above
 */
export function sqlite(path: string = MEMORY, options: SqliteOptions = {}): PersistenceAdapter {
  return createSqliteAdapter(path, options, Date.now);
}

/** `sqlite()` with the store's clock in the caller's hands, for tests. */
export function createSqliteAdapter(
  path: string,
  options: SqliteOptions,
  now: () => number,
): PersistenceAdapter {
  const { synchronous = 'full', busyMs = BUSY_MS } = options;
  requireValid(path, synchronous, busyMs);
  const ephemeral = path === MEMORY;
  let opening: Promise<OpenStore> | undefined;
  let closing: Promise<void> | undefined;

  return {
    ephemeral,
    migrate: async () => void (await open()),
    connect: async (): Promise<FlueStore> => (await open()).store,
    close: () => (closing ??= close()),
  };

  function open(): Promise<OpenStore> {
    if (closing)
      return Promise.reject(new PersistenceError({ reason: 'closed', dev: `${path} was closed.` }));
    opening ??= openDatabase(path, { synchronous, busyMs }).then(
      (db) => createStore(db, { file: path, synchronous, busyMs, now, shared: !ephemeral }),
      (error) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  }

  async function close(): Promise<void> {
    const opened = await opening?.catch(() => undefined);
    await opened?.close();
  }
}

function requireValid(path: unknown, synchronous: unknown, busyMs: unknown): void {
  if (typeof path !== 'string' || path.trim() === '') {
    throw misuse("sqlite() takes a file path, or ':memory:'; the given one is blank or no string.");
  }
  if (synchronous !== 'full' && synchronous !== 'normal') {
    throw misuse(`sqlite() takes synchronous 'full' or 'normal', not ${JSON.stringify(synchronous)}.`);
  }
  if (typeof busyMs !== 'number' || !(busyMs >= 0 && busyMs <= BUSY_MS)) {
    throw misuse(`sqlite() takes busyMs as a number of milliseconds from 0 to ${BUSY_MS}.`);
  }
}
