import { ERROR_TYPES, type ErrorType, INTERNAL_ERROR } from '../contract/codes.ts';
import { OperationFailedError } from '../engine/errors.ts';
import { ToolNameConflictError } from '../engine/tools/errors.ts';
import { FlueError } from '../errors/flue-error.ts';
import type { SettlementError } from '../ports/store.ts';
import {
  AgentUnavailableError,
  SubmissionAbortedError,
  SubmissionInterruptedError,
  SubmissionRetryExhaustedError,
  SubmissionTimeoutError,
} from '../submissions/errors.ts';

const TYPES = new Set<string>(Object.values(ERROR_TYPES));

/** The classes that a settlement can carry and callers match with `instanceof`. */
const OWNERS = new Map<ErrorType, { readonly prototype: FlueError }>([
  ['operation_failed', OperationFailedError],
  ['tool_name_conflict', ToolNameConflictError],
  ['agent_unavailable', AgentUnavailableError],
  ['submission_aborted', SubmissionAbortedError],
  ['submission_interrupted', SubmissionInterruptedError],
  ['submission_retry_exhausted', SubmissionRetryExhaustedError],
  ['submission_timeout', SubmissionTimeoutError],
]);

/**
 * An `Error` with what the settlement recorded: an instance of the exported class that owns its type, else of
 * `FlueError` (HND-19). Its constructor is not run, since the record holds the prose that it once made.
 */
export function rebuildError(recorded: SettlementError): FlueError {
  const type = (TYPES.has(recorded.type ?? '') ? recorded.type : INTERNAL_ERROR) as ErrorType;
  const error = new FlueError({
    type,
    message: recorded.message,
    ...(recorded.details !== undefined && { details: recorded.details }),
    ...(recorded.meta && { meta: { ...recorded.meta } }),
  });
  const owner = OWNERS.get(type);
  return owner ? Object.setPrototypeOf(error, owner.prototype) : error;
}
