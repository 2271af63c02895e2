import { ERROR_TYPES, type ErrorType } from '../contract/codes.ts';

/** Recognizes instances across duplicate copies of the package and across realms (ERR-07). */
const MARK = Symbol.for('@flue/runtime.FlueError');

/** Class names by type, so that a minified bundle keeps them (ERR-05). */
const NAMES = new Map<string, string>(Object.entries(ERROR_TYPES).map(([name, type]) => [type, name]));

export interface FlueErrorFields {
  readonly type: ErrorType;
  /** one caller-safe sentence */
  readonly message: string;
  /** longer caller-safe prose about the request and what the caller can do */
  readonly details?: string;
  /** for the developer: alternatives, paths, source-level fixes */
  readonly dev?: string;
  /** structured and caller-safe */
  readonly meta?: Record<string, unknown>;
  readonly cause?: unknown;
}

/**
 * A failure of the framework. Match on `type` or with `instanceof`; `message`, `details` and `dev` are prose (ERR-01).
 * A subclass builds its own prose from structured input (ERR-04), so call sites pass data.
 */
export class FlueError extends Error {
  readonly type: ErrorType;
  readonly details: string;
  readonly dev: string;
  readonly meta: Record<string, unknown> | undefined;

  constructor(fields: FlueErrorFields) {
    super(fields.message, 'cause' in fields ? { cause: fields.cause } : undefined);
    this.name = NAMES.get(fields.type) ?? new.target.name;
    this.type = fields.type;
    this.details = fields.details ?? '';
    this.dev = fields.dev ?? '';
    this.meta = fields.meta;
    Object.defineProperty(this, MARK, { value: true });
  }

  /** True for an instance from any copy of the package; with `type`, only for that type. Never throws. */
  static is(value: unknown, type?: ErrorType): value is FlueError {
    if (typeof value !== 'object' || value === null) return false;
    const candidate = value as { [MARK]?: unknown; type?: unknown };
    try {
      return candidate[MARK] === true && (type === undefined || candidate.type === type);
    } catch {
      return false; // a proxy, or a getter, of whoever threw it
    }
  }
}

/** A failure with a status of its own on the wire (ENV-03). */
export class FlueHttpError extends FlueError {
  readonly status: number;
  readonly headers: Record<string, string> | undefined;

  constructor(
    fields: FlueErrorFields & { readonly status: number; readonly headers?: Record<string, string> },
  ) {
    super(fields);
    this.status = fields.status;
    this.headers = fields.headers;
  }
}

/** The plain `Error` of authoring and bootstrap misuse (ERR-10); `rule` names the rule that finds it ahead of time. */
export function misuse(message: string, rule?: string, options?: ErrorOptions): Error {
  return new Error(`[flue] ${message}${rule ? ` (${rule})` : ''}`, options);
}
