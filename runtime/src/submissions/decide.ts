import { type ResponseEvidence, responseEvidence } from '../conversation/fold/evidence.ts';
import { openCalls } from '../conversation/fold/queries.ts';
import type { Conversation } from '../conversation/fold/state.ts';
import { OperationFailedError } from '../engine/errors.ts';
import type { FlueError } from '../errors/flue-error.ts';
import type { SubmissionRow } from '../ports/store.ts';
import {
  AgentUnavailableError,
  SubmissionAbortedError,
  SubmissionInterruptedError,
  SubmissionRetryExhaustedError,
  SubmissionTimeoutError,
} from './errors.ts';

/** Everything that the decision about a claimed submission rests on: durable evidence, and the time (REC-01). */
export interface InstanceView {
  /** folded to the head; what a former owner left open is still open in it */
  readonly state: Conversation;
  readonly row: SubmissionRow;
  /** it was asked to stop */
  readonly aborted: boolean;
  readonly agent: { readonly identity: string; readonly registered: boolean };
  /** epoch milliseconds by which it must have settled */
  readonly deadline: number;
}

/** Where a response goes on. */
export type ResumePoint =
  /** its input is not in the model's context yet */
  | 'start'
  /** at a model call; an open tool batch is repaired first */
  | 'turn'
  /** after the text that was cut off */
  | 'continue'
  /** the model had ended; joins and finish hooks are what is left */
  | 'would-stop';

export type Action =
  | { readonly do: 'settle'; readonly outcome: 'completed' }
  | { readonly do: 'settle'; readonly outcome: 'failed' | 'aborted'; readonly error: FlueError }
  | { readonly do: 'respond'; readonly from: ResumePoint }
  /** a request to compact has its turn (RCD-45) */
  | { readonly do: 'compact' };

/**
 * What an attempt does next, in REC-04's order: completed, aborted, over budget or deadline, resume. Pure, and free of
 * application code, so that no agent can break its own recovery (REC-03).
 */
export function decide(view: InstanceView, now: number): Action {
  const { row, deadline } = view;
  const evidence = responseEvidence(view.state);
  const complete = evidence.kind === 'stopped' || evidence.kind === 'terminated';
  const ends = view.aborted || row.attempts > row.maxAttempts || now >= deadline;
  if (evidence.kind === 'terminated' || (complete && ends)) return { do: 'settle', outcome: 'completed' };
  if (view.aborted) {
    return { do: 'settle', outcome: 'aborted', error: new SubmissionAbortedError(interrupted(view)) };
  }
  // Claimed without being served only once its time was up (QUE-08).
  if (!view.agent.registered) return failed(new AgentUnavailableError({ agent: view.agent.identity }));
  if (row.attempts > row.maxAttempts) return failed(exhausted(view, evidence));
  if (now >= deadline) {
    return failed(new SubmissionTimeoutError({ timeoutMs: row.timeoutMs, ...interrupted(view) }));
  }
  if (evidence.kind === 'failed' && evidence.fault === 'terminal') return failed(providerFailure());
  if (evidence.kind === 'compaction_requested') return { do: 'compact' };
  return { do: 'respond', from: resumePoint(view.state, evidence) };
}

/** The failure itself was logged by the process that met it. */
function providerFailure(): FlueError {
  const reason = 'the model call failed in a way that no repetition heals.';
  return new OperationFailedError({ operation: 'turn', reason, category: 'provider', retryable: false });
}

function resumePoint(state: Conversation, evidence: ResponseEvidence): ResumePoint {
  switch (evidence.kind) {
    case 'unplaced':
      return 'start';
    case 'stopped':
      return 'would-stop';
    case 'partial':
      return 'continue';
    case 'message_open':
      return state.open?.blocks.some((block) => block.text !== '') ? 'continue' : 'turn';
    default:
      return 'turn';
  }
}

function exhausted(view: InstanceView, evidence: ResponseEvidence): FlueError {
  const { attempts, maxAttempts } = view.row;
  // The claim that found the budget spent is counted, and is no attempt of its own.
  const counts = { attemptCount: attempts - 1, maxAttempts };
  return evidence.kind === 'unplaced'
    ? new SubmissionInterruptedError(counts)
    : new SubmissionRetryExhaustedError({ ...counts, ...interrupted(view) });
}

function interrupted({ state }: InstanceView) {
  const interruptedTools = [...state.toolBatches.values()].flatMap((batch) =>
    openCalls(batch).map(({ tool, id }) => ({ name: tool, id })),
  );
  return interruptedTools.length > 0 ? { interruptedTools } : {};
}

function failed(error: FlueError): Action {
  return { do: 'settle', outcome: 'failed', error };
}
