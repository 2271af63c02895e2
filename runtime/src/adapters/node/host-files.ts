import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { chmod, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { SandboxPathDeniedError } from '../../ports/sandbox-errors.ts';
import { posixError } from '../sandbox/verb-error.ts';
import { realLocation } from './real-location.ts';

/** A pipe without a writer would otherwise hold its reader, and with it a thread of the process, for good. */
const READ_AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The bytes of a file, and of nothing else: a pipe or a device has no end, or none in sight. With `root`, what was really
 * opened lies inside, whatever became of the path since it was looked at (LOC-09).
 */
export async function readRegularFile(path: string, root?: string): Promise<Buffer> {
  const handle = await open(path, READ_AT_ONCE);
  try {
    const opened = await handle.stat();
    if (opened.isDirectory()) throw posixError('EISDIR', 'is a directory', 'readFile', path);
    if (!opened.isFile()) throw posixError('EINVAL', 'is no regular file', 'readFile', path);
    if (root !== undefined && !(await leadsTo(path, root, opened))) throw outside('readFile', path, root);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/**
 * Atomic, by a temporary file beside it; the mode stays, and a link's target is written (LOC-08). With `root`, nothing is
 * left outside (LOC-09).
 */
export async function replaceFile(path: string, content: string | Uint8Array, root?: string): Promise<void> {
  const target = await realLocation(path);
  const existing = await stat(target).catch(() => undefined);
  if (existing?.isDirectory()) throw posixError('EISDIR', 'is a directory', 'writeFile', path);
  if (existing && !existing.isFile()) throw posixError('EINVAL', 'is no regular file', 'writeFile', path);
  const temporary = join(dirname(target), `.flue-${randomUUID()}`);
  try {
    await writeFile(temporary, content, { flag: 'wx' });
    if (root !== undefined && !(await isInside(root, temporary))) throw outside('writeFile', path, root);
    if (existing) await chmod(temporary, existing.mode);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Whether a path really lies in a folder, links resolved. */
export async function isInside(root: string, path: string): Promise<boolean> {
  const [top, real] = await Promise.all([realLocation(root), realLocation(path)]);
  return real === top || real.startsWith(top.endsWith(sep) ? top : top + sep);
}

export function outside(operation: string, path: string, root: string): SandboxPathDeniedError {
  return new SandboxPathDeniedError({ operation, path, why: `it lies outside "${root}"` });
}

/** Whether this very file is found at the path, and inside. */
async function leadsTo(path: string, root: string, file: Stats): Promise<boolean> {
  const real = await realLocation(path);
  const found = await stat(real).catch(() => undefined);
  return found?.ino === file.ino && found.dev === file.dev && (await isInside(root, real));
}
