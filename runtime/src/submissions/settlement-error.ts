import { INTERNAL_ERROR } from '../contract/codes.ts';
import { LIMITS } from '../contract/limits.ts';
import { FlueError } from '../errors/flue-error.ts';
import type { SettlementError } from '../ports/store.ts';

const CUT = ' [cut]';

/**
 * What a settlement records of a failure (SET-02). The text of anything but a `FlueError` reaches no record: `ref`
 * names the log line that holds it in full (SET-03).
 */
export function toSettlementError(error: unknown, submissionId: string, ref?: string): SettlementError {
  if (!FlueError.is(error)) {
    return {
      name: 'Error',
      type: INTERNAL_ERROR,
      message: 'An internal error occurred.',
      details: `Quote the submission ${submissionId} to whoever runs this agent.`,
      ...(ref && { meta: { ref } }),
    };
  }
  const meta = { ...error.meta, ...(ref && { ref }) };
  return bounded({
    name: error.name,
    type: error.type,
    message: error.message,
    ...(error.details && { details: error.details }),
    ...(Object.keys(meta).length > 0 && { meta }),
  });
}

/** SET-06: at most 16 KiB serialized. Long strings are cut with a mark; a `meta` that does not fit, or is no JSON, goes. */
function bounded(error: SettlementError): SettlementError {
  if (size(error) <= LIMITS.settlementErrorBytes) return error;
  const cut = {
    ...error,
    message: shorten(error.message),
    ...(error.details && { details: shorten(error.details) }),
  };
  if (size(cut) <= LIMITS.settlementErrorBytes) return cut;
  const ref = error.meta?.ref;
  return { ...cut, meta: { truncated: true, ...(ref !== undefined && { ref }) } };
}

/** What one string may take, serialized; a control character takes six bytes there. */
const STRING_BYTES = 6000;

function shorten(text: string): string {
  if (bytes(text) <= STRING_BYTES) return text;
  let kept = text.slice(0, STRING_BYTES);
  while (bytes(kept) > STRING_BYTES) kept = kept.slice(0, kept.length * 0.75);
  return kept + CUT;
}

function size(error: SettlementError): number {
  try {
    return bytes(error);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function bytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
