import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FixedFile } from './apply-fixes.ts';
import { readSourceText } from './source-text.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Writes a repaired file in one step. False when its text on disk is no longer what was repaired (CHK-08). */
export function writeFixed(root: string, { path, before, after }: FixedFile): boolean {
  const file = resolve(root, path);
  const present = readSourceText(file);
  if (present?.text !== before || present.invalidUtf8) return false;
  const hasMark = readFileSync(file).subarray(0, 3).equals(BYTE_ORDER_MARK);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, hasMark ? Buffer.concat([BYTE_ORDER_MARK, Buffer.from(after)]) : after, {
      mode: statSync(file).mode,
    });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return true;
}
