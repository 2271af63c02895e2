import { join } from 'node:path';
import { LOCK_FILE, type Lock, LockError, parseLock } from '../emit/lock.ts';
import { existsSync, readFileSync } from './disk.ts';
import { ProjectError } from './project-error.ts';

export interface LockFile {
  readonly path: string;
  readonly text: string;
  readonly lock: Lock;
}

/** The lock of a project, or `undefined` before there is one (LOCK-02); one that cannot be used ends the work (LOCK-08). */
export function readLockFile(root: string): LockFile | undefined {
  const path = join(root, LOCK_FILE);
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  try {
    return { path: LOCK_FILE, text, lock: parseLock(text) };
  } catch (error) {
    throw error instanceof LockError ? new ProjectError(LOCK_FILE, error.message, { cause: error }) : error;
  }
}
