import { ulid } from 'ulidx';
import { createFailureLog } from '../../app/failure-log.ts';
import type { FlueRuntime } from '../../app/runtime.ts';
import { INTERNAL_ERROR } from '../../contract/codes.ts';
import { LIMITS } from '../../contract/limits.ts';
import { FlueError, type FlueHttpError } from '../../errors/flue-error.ts';
import { BASE_HEADERS } from './headers.ts';
import { ClientGoneError } from './request.ts';
import { validTraceparent } from './trace-context.ts';

export interface FailureContext {
  readonly request: Request;
  /** absent when none is configured */
  readonly runtime: FlueRuntime | undefined;
  /** for the log line */
  readonly identity?: string;
}

/** The envelope of a failure (ENV-01..ENV-10). Never throws: what cannot be rendered becomes `internal_error`. */
export function errorResponse(error: unknown, context: FailureContext): Response {
  try {
    if (error instanceof ClientGoneError) return new Response(null, { status: 499, headers: BASE_HEADERS });
    return render(error, context);
  } catch {
    return respond(500, { type: INTERNAL_ERROR, message: INTERNAL_MESSAGE, details: INTERNAL_DETAILS }, {});
  }
}

const INTERNAL_MESSAGE = 'An internal error occurred.';
const INTERNAL_DETAILS = 'The server has logged it. Quote the reference when reporting it.';

interface Envelope {
  type: string;
  message: string;
  details: string;
  dev?: string;
  meta?: unknown;
  ref?: string;
}

function render(error: unknown, context: FailureContext): Response {
  const status = statusOf(error);
  const ref = isLogged(status) ? logFailure(error, context) : undefined;
  const headers = {
    ...(status === 503 && { 'Retry-After': '1' }),
    ...headersOf(error),
    ...(ref && { 'flue-error-ref': ref }),
  };
  return respond(status, { ...describe(error, context), ...(ref && { ref }) }, headers);
}

/** A status is the class's own; a typed failure without one, and everything unknown, is 500 (ENV-03). */
function statusOf(error: unknown): number {
  const { status } = error as Partial<FlueHttpError>;
  return FlueError.is(error) && typeof status === 'number' ? status : 500;
}

function headersOf(error: unknown): Record<string, string> {
  return FlueError.is(error) ? ((error as Partial<FlueHttpError>).headers ?? {}) : {};
}

/** A mistake of the caller is not logged, nor is being busy, which every request of a drain would repeat (ENV-05). */
function isLogged(status: number): boolean {
  return status >= 500 && status !== 503;
}

function describe(error: unknown, { runtime }: FailureContext): Envelope {
  if (!FlueError.is(error))
    return { type: INTERNAL_ERROR, message: INTERNAL_MESSAGE, details: INTERNAL_DETAILS };
  const { type, message, details, dev, meta } = error;
  return {
    type,
    message,
    details,
    ...(dev !== '' && runtime?.mode === 'development' && { dev }),
    ...(meta && { meta: boundedMeta(meta) }),
  };
}

/** JSON and small, whatever a class was given (ENV-10). */
function boundedMeta(meta: Record<string, unknown>): unknown {
  try {
    const text = JSON.stringify(meta);
    return Buffer.byteLength(text) <= LIMITS.errorMetaBytes ? JSON.parse(text) : { truncated: true };
  } catch {
    return { truncated: true };
  }
}

/** Writes the log line of a failed request and returns its reference (ENV-05, ENV-06). */
export function logFailure(error: unknown, { request, runtime, identity }: FailureContext): string {
  const log = runtime?.logFailure ?? logWithoutRuntime;
  return log(error, {
    request: `${request.method} ${new URL(request.url).pathname}`,
    agent: identity,
    traceparent: validTraceparent(request.headers.get('traceparent')),
  });
}

const logWithoutRuntime = createFailureLog({
  ids: { ulid: () => ulid() },
  write: (text) => console.error(text),
});

function respond(status: number, error: Envelope, headers: Record<string, string>): Response {
  return new Response(JSON.stringify({ error }), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...BASE_HEADERS, ...headers },
  });
}
