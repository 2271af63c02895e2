import type { RuleCode } from '../contract/codes.ts';
import { FlueError } from '../errors/flue-error.ts';

/** Stable keys of `OperationFailedError.meta` besides `operation` and `reason`. */
export interface OperationFailure {
  readonly operation: 'response' | 'turn' | 'render' | 'hook' | 'compaction' | 'prompt';
  /** one sentence for the caller, or a stable code such as `auth` and `context_overflow` */
  readonly reason: string;
  readonly category?: 'provider' | 'overflow' | 'hook' | 'render' | 'interceptor' | 'tool_loop';
  readonly provider?: string;
  readonly model?: string;
  readonly status?: number;
  readonly retryable?: boolean;
  readonly attempts?: number;
  readonly turnId?: string;
  /** name of the variable that supplied the key, never its value */
  readonly envVar?: string;
  readonly agent?: string;
  readonly tool?: string;
  /** of a callback that threw, and its place among those of the same hook */
  readonly hook?: string;
  readonly hookIndex?: number;
  readonly limit?: number;
  /** the compiler's rule that finds the fault ahead of time (ERR-12) */
  readonly rule?: RuleCode;
}

/**
 * An operation or a model call did not complete. Ids of the submission stay out of the message, so that equal
 * failures group (CLS-04); the original failure is `cause`.
 */
export class OperationFailedError extends FlueError {
  constructor(failure: OperationFailure, o: { readonly cause?: unknown; readonly dev?: string } = {}) {
    super({
      type: 'operation_failed',
      message: `The ${failure.operation} did not complete: ${failure.reason}`,
      meta: { ...failure },
      ...(o.dev !== undefined && { dev: o.dev }),
      ...('cause' in o && { cause: o.cause }),
    });
  }
}
