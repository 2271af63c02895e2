import { LIMITS } from '../contract/limits.ts';
import { windowOf } from '../conversation/fold/queries.ts';
import type { Conversation } from '../conversation/fold/state.ts';
import { OperationFailedError } from '../engine/errors.ts';
import type { ModelStep } from '../engine/model-step.ts';
import { FlueError } from '../errors/flue-error.ts';
import type { AttemptContext } from './attempt-context.ts';

/** A call that fails again and again in the same way ends the response, by what is recorded (TURN-18). */
export function toolLoop({ response }: Conversation): FlueError | undefined {
  const failing = response?.failingCall;
  if (!failing || failing.count < LIMITS.repeatedFailuresMost) return undefined;
  const { tool, failure, count } = failing;
  return new OperationFailedError(
    {
      operation: 'response',
      reason: `the call of "${tool}" failed ${count} times in a row in the same way: ${failure.slice(0, SHOWN_FAILURE)}`,
      category: 'tool_loop',
      tool,
      limit: LIMITS.repeatedFailuresMost,
    },
    { dev: failure },
  );
}

/** Characters of a tool's error in the failure that it led to. */
const SHOWN_FAILURE = 500;

/** `undefined` for a failure that is tried again (RETRY-01, RETRY-02). */
export function terminalFailure(
  context: AttemptContext,
  state: Conversation,
  conv: number,
  { message, end }: Extract<ModelStep, { kind: 'message' }>,
): FlueError | undefined {
  const fault = message.fault!;
  const failures = windowOf(state, conv).failedTurns + 1;
  // Recovered from before the next call, or what the work ends with there (OVER-02, OVER-05).
  if (fault.class === 'overflow') return undefined;
  if (fault.class === 'transient' && failures <= context.ports.settings.model.retries) return undefined;
  // What failed before any request was made has a class of its own, with its own remedy (AUTH-04, PROV-10).
  if (FlueError.is(end.cause)) return end.cause;
  return new OperationFailedError(
    {
      operation: 'turn',
      reason: fault.reason ?? fault.message,
      category: 'provider',
      provider: message.model.provider,
      model: message.model.id,
      retryable: fault.class === 'transient',
      ...(fault.status !== undefined && { status: fault.status }),
      ...(end.envVar !== undefined && { envVar: end.envVar }),
      ...(fault.class === 'transient' && { attempts: failures }),
    },
    { cause: end.cause, dev: fault.message },
  );
}
