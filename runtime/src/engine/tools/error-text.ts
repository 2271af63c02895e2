import { LIMITS } from '../../contract/limits.ts';

/**
 * What the model reads of a thrown value (TCALL-09): an error's message, or its name when that is empty; a string as
 * it is; anything else as JSON. Never a stack, at most 8 KiB (CLS-03). Never throws, whatever the value does.
 */
export function errorText(thrown: unknown): string {
  try {
    return withinBytes(text(thrown), LIMITS.toolErrorBytes);
  } catch {
    return 'The tool failed with an error that cannot be read.';
  }
}

function text(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  if (isError(thrown)) return String(thrown.message) || String(thrown.name);
  return typeof thrown === 'bigint' ? String(thrown) : (JSON.stringify(thrown) ?? String(thrown));
}

/** An error of any realm. */
function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** Cuts at a character, never inside one, and marks the cut. */
function withinBytes(value: string, limit: number): string {
  if (value.length * 3 <= limit) return value;
  const bytes = new TextEncoder().encode(value);
  if (bytes.length <= limit) return value;
  const mark = '…';
  let end = limit - new TextEncoder().encode(mark).length;
  while (isContinuation(bytes[end])) end--;
  return new TextDecoder().decode(bytes.subarray(0, end)) + mark;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
