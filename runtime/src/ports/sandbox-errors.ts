import { FlueError } from '../errors/flue-error.ts';

/** No environment could be had: its creation failed, gave less than it must, or took too long (SBX-05, CWD-03). */
export class SandboxStartError extends FlueError {
  constructor(o: {
    /** one clause about what went wrong, safe for a caller */
    readonly why: string;
    readonly missing?: readonly string[];
    readonly timeoutMs?: number;
    readonly cause?: unknown;
    readonly dev?: string;
  }) {
    const { missing, timeoutMs } = o;
    super({
      type: 'sandbox_start_failed',
      message: `The environment could not be started: ${o.why}.`,
      ...(o.dev !== undefined && { dev: o.dev }),
      meta: { ...(missing && { missing: [...missing] }), ...(timeoutMs !== undefined && { timeoutMs }) },
      ...('cause' in o && { cause: o.cause }),
    });
  }
}

/** The environment is gone. Deliberately no `AbortError`: nobody asked for it (EXE-08). */
export class SandboxDiedError extends FlueError {
  constructor(o: {
    readonly operation: string;
    readonly reason: 'stopped' | 'probe_silent';
    readonly cause?: unknown;
  }) {
    super({
      type: 'sandbox_died',
      message: `The environment is gone; ${o.operation} could not be completed.`,
      meta: { operation: o.operation, reason: o.reason },
      ...('cause' in o && { cause: o.cause }),
    });
  }
}

/** An adapter cannot honour an option; nothing was changed (FIL-06). */
export class SandboxOperationUnsupportedError extends FlueError {
  constructor(o: {
    readonly operation: string;
    readonly provider: string;
    readonly options: readonly string[];
  }) {
    super({
      type: 'sandbox_operation_unsupported',
      message: `The sandbox "${o.provider}" cannot ${o.operation} with ${o.options.join(', ')}.`,
      meta: { operation: o.operation, provider: o.provider, options: [...o.options] },
    });
  }
}

/** Outside the root of `local({ root })`, or a change under `readOnly` (LOC-09). */
export class SandboxPathDeniedError extends FlueError {
  constructor(o: { readonly operation: string; readonly path: string; readonly why: string }) {
    super({
      type: 'sandbox_path_denied',
      message: `EACCES: ${o.operation} '${o.path}' is not allowed: ${o.why}.`,
      meta: { operation: o.operation },
    });
  }
}

/** What was given is no path; nothing was touched (PTH-03). */
export class InvalidPathError extends FlueError {
  constructor(o: { readonly operation: string; readonly why: string }) {
    super({
      type: 'sandbox_invalid_path',
      message: `The path given to ${o.operation} is invalid: ${o.why}.`,
      meta: { operation: o.operation },
    });
  }
}
