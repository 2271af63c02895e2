import type { SourceText } from '../analysis/host.ts';
import { readFileSync } from './disk.ts';
import { unreadable } from './project-error.ts';

/** The directive in any spelling that a rule explains, an import of ours, or of a skill: all else is never parsed. */
const CANDIDATE = /use[\s_-]{0,16}agent|@flue\/runtime|\/SKILL\.md['"]/i;

const strict = new TextDecoder('utf-8', { fatal: true });
const lossy = new TextDecoder('utf-8');

/** A file's text without byte-order mark, or `undefined` when there is none. */
export function readSourceText(path: string): SourceText | undefined {
  const bytes = readBytes(path);
  return bytes === undefined ? undefined : decode(bytes);
}

/** The same for a file that may concern us, judged by its bytes; `undefined` for every other. */
export function readCandidate(path: string): SourceText | undefined {
  const bytes = readBytes(path);
  if (bytes === undefined) return undefined;
  const wide = utf16(bytes);
  return CANDIDATE.test(wide ?? bytes.toString('latin1')) ? decode(bytes) : undefined;
}

function readBytes(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw unreadable(path, error);
  }
}

function decode(bytes: Buffer): SourceText {
  try {
    return { text: strict.decode(bytes) };
  } catch {
    return { text: utf16(bytes) ?? lossy.decode(bytes), invalidUtf8: true };
  }
}

/** Text of an editor that saves UTF-16; never valid here, but it must be seen to be reported. */
function utf16(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString('utf16le');
  if (bytes[0] !== 0xfe || bytes[1] !== 0xff || bytes.length % 2 !== 0) return undefined;
  return Buffer.from(bytes.subarray(2)).swap16().toString('utf16le');
}
