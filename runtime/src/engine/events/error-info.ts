import { FlueError } from '../../errors/flue-error.ts';
import type { JsonObject } from '../../ports/model-shapes.ts';
import { snapshotJson } from '../json-value.ts';
import type { ErrorInfo, EventError } from './event.ts';
import type { Redact } from './scrub.ts';

/**
 * Classifies whatever was thrown (OBS-02). Reading it never throws (OBS-04); a stack comes from real errors only. Long
 * texts are cut once credentials are out of them: of one that the cut divides nothing would be recognized (AUTH-05).
 */
export function errorInfo(thrown: unknown, redact: Redact): ErrorInfo {
  if (typeof thrown === 'string') return { type: OTHER, message: redact(thrown).slice(0, LONGEST) };
  if (typeof thrown !== 'object' || thrown === null) return { type: OTHER };
  const [name, message, code, type] = ['name', 'message', 'code', 'type'].map((key) =>
    text(thrown, key, redact),
  );
  const isAbort = name === 'AbortError' && isA(thrown, DOMException);
  const meta = FlueError.is(thrown) ? json(thrown, 'meta') : undefined;
  const stack = isA(thrown, Error) ? text(thrown, 'stack', redact) : undefined;
  return {
    type: isAbort ? 'AbortError' : (type ?? code ?? name ?? OTHER),
    ...(name !== undefined && { name }),
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
    ...(meta && { meta }),
    ...(stack !== undefined && { stack }),
  };
}

/** The shape that is recorded: what an author or a library threw keeps its name and message, and no stack (OBS-03). */
export function eventError(thrown: unknown, redact: Redact): EventError {
  const { type, name, message = '', meta } = errorInfo(thrown, redact);
  const details = FlueError.is(thrown) ? text(thrown, 'details', redact) : undefined;
  return {
    ...(name !== undefined && { name }),
    message,
    type,
    ...(details && { details }),
    ...(meta && { meta }),
  };
}

const OTHER = '_OTHER';
/** characters of one field, whatever was thrown */
const LONGEST = 16_384;

/** `code` of a `DOMException` is a number, and says less than its name. */
function text(value: object, key: string, redact: Redact): string | undefined {
  try {
    const found = (value as Record<string, unknown>)[key];
    return typeof found === 'string' && found !== '' ? redact(found).slice(0, LONGEST) : undefined;
  } catch {
    return undefined;
  }
}

function json(value: object, key: string): JsonObject | undefined {
  try {
    const found = (value as Record<string, unknown>)[key];
    return found === undefined ? undefined : (snapshotJson(found, key) as JsonObject);
  } catch {
    return undefined;
  }
}

function isA(value: object, kind: abstract new (...args: never[]) => unknown): boolean {
  try {
    return value instanceof kind;
  } catch {
    return false;
  }
}
