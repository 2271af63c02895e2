import Database from 'better-sqlite3';
import { FlueError } from '../../errors/flue-error.ts';
import { PersistenceError, type PersistenceReason } from '../../ports/store-errors.ts';

/** Whether the engine could not get a lock within its blocking wait; worth another try (SQL-06). */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
}

/** The engine's failure as a caller of the store sees it (ADP-07); our own errors pass unchanged. */
export function toPersistenceError(error: unknown, file: string): unknown {
  if (error instanceof FlueError) return error;
  if (error instanceof Database.SqliteError) {
    const reason = reasonOf(error.code);
    return new PersistenceError({
      reason,
      dev: `${file}: ${error.message} (${error.code}).${REMEDIES[reason]}`,
      cause: error,
    });
  }
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== 'string') return error;
  return new PersistenceError({
    reason: reasonOf(code),
    dev: `${file}: ${(error as Error).message}`,
    cause: error,
  });
}

const REMEDIES: Record<PersistenceReason, string> = {
  busy: ' Another process holds the write lock for long.',
  unavailable: '',
  full: ' Free space on the volume; work resumes by itself.',
  readonly: ' Restore write permission on the file and its folder.',
  corrupt: ' Stop the process and restore the file from a backup; it is never recreated or truncated.',
  closed: '',
};

function reasonOf(code: string): PersistenceReason {
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'busy';
  if (code === 'ENOSPC' || code === 'EDQUOT' || code.startsWith('SQLITE_FULL')) return 'full';
  if (/^(SQLITE_READONLY|SQLITE_PERM|EROFS|EACCES|EPERM)/.test(code)) return 'readonly';
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return 'corrupt';
  return 'unavailable';
}
