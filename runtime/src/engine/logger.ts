import { LIMITS } from '../contract/limits.ts';
import { FlueError } from '../errors/flue-error.ts';
import type { JsonObject, JsonValue } from '../ports/model-shapes.ts';
import { snapshotJson } from './json-value.ts';

/** Progress lines of author code: events for observers, never shown to the model, never recorded (LOGE-01). */
export interface FlueLogger {
  info(message: string, attributes?: Record<string, unknown>): void;
  warn(message: string, attributes?: Record<string, unknown>): void;
  error(message: string, attributes?: Record<string, unknown>): void;
}

export interface LogLine {
  readonly level: keyof FlueLogger;
  readonly message: string;
  readonly attributes: JsonObject;
}

/**
 * A logger whose lines carry `provenance` (LOGE-02). Attributes are read at the call; what is not JSON becomes
 * `"[unserializable]"`. A log call never throws (LOGE-03).
 */
export function createLogger(emit: (line: LogLine) => void, provenance: JsonObject): FlueLogger {
  const write = (level: LogLine['level']) => (message: string, attributes?: Record<string, unknown>) => {
    try {
      emit({ level, message: String(message), attributes: { ...readAttributes(attributes), ...provenance } });
    } catch {
      // Whatever failed, a progress line must not fail the work that it reports.
    }
  };
  return Object.freeze({ info: write('info'), warn: write('warn'), error: write('error') });
}

function readAttributes(attributes: Record<string, unknown> | undefined): JsonObject {
  const result: JsonObject = {};
  let budget: number = LIMITS.logAttributesBytes;
  for (const [key, given] of Object.entries(attributes ?? {})) {
    if (given === undefined) continue;
    const value = attributeValue(key, given);
    const text = JSON.stringify(value);
    budget -= key.length + text.length;
    result[key] = budget >= 0 ? value : CUT;
    if (budget < 0) break;
  }
  return result;
}

const CUT = '[cut: attributes exceed 16 KiB]';

function attributeValue(key: string, value: unknown): JsonValue {
  try {
    return snapshotJson(key === 'error' && value instanceof Error ? errorFields(value) : value, key);
  } catch {
    return '[unserializable]';
  }
}

/** Without the stack, which must not leave the process (LOGE-02). */
function errorFields(error: Error): Record<string, unknown> {
  const { name, message } = error;
  if (!FlueError.is(error)) return { name, message };
  return { name, message, type: error.type, details: error.details, meta: error.meta };
}
