import type { Conversation } from '../conversation/fold/state.ts';
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
  | { readonly do: 'respond'; readonly from: ResumePoint };

/**
 * What an attempt does next, in REC-04's order: completed, aborted, over budget or deadline, resume. Pure, and free of
 * application code, so that no agent can break its own recovery (REC-03).
 */
export function decide(view: InstanceView, now: number): Action {
  const { row, deadline } = view;
  const final = finality(view);
  const ends = row.abortRequestedAt !== undefined || row.attempts > row.maxAttempts || now >= deadline;
  if (final === 'terminated' || (final && ends)) return { do: 'settle', outcome: 'completed' };
  if (row.abortRequestedAt !== undefined)
    return { do: 'settle', outcome: 'aborted', error: new SubmissionAbortedError() };
  if (row.attempts > row.maxAttempts) return failed(exhausted(view));
  if (now >= deadline)
    return failed(new SubmissionTimeoutError({ timeoutMs: row.timeoutMs, ...interrupted(view) }));
  if (!view.agent.registered) return failed(new AgentUnavailableError({ agent: view.agent.identity }));
  return { do: 'respond', from: resumePoint(view, final) };
}

function resumePoint(view: InstanceView, final: 'stopped' | undefined): ResumePoint {
  if (!isPlaced(view)) return 'start';
  if (final) return 'would-stop';
  return hasUsablePartial(view.state) ? 'continue' : 'turn';
}

/** Why the response of this submission needs no further turn, when it needs none (RCD-67). */
function finality({ state, row }: InstanceView): 'stopped' | 'terminated' | undefined {
  const { response, open, toolBatches } = state;
  if (response?.host !== row.submissionId || open || toolBatches.size > 0) return undefined;
  return response.final;
}

function isPlaced({ state, row }: InstanceView): boolean {
  return state.queue.pending.some((pending) => pending.submissionId === row.submissionId && pending.placed);
}

function hasUsablePartial({ open }: Conversation): boolean {
  return open?.blocks.some((block) => block.text !== '') ?? false;
}

function exhausted(view: InstanceView): FlueError {
  const { attempts, maxAttempts } = view.row;
  // The claim that found the budget spent is counted, and is no attempt of its own.
  const counts = { attemptCount: attempts - 1, maxAttempts };
  return isPlaced(view)
    ? new SubmissionRetryExhaustedError({ ...counts, ...interrupted(view) })
    : new SubmissionInterruptedError(counts);
}

function interrupted({ state }: InstanceView) {
  const interruptedTools = [...state.toolBatches.values()].flatMap((batch) =>
    batch.calls.filter((call) => !call.outcome).map(({ tool, id }) => ({ name: tool, id })),
  );
  return interruptedTools.length > 0 ? { interruptedTools } : {};
}

function failed(error: FlueError): Action {
  return { do: 'settle', outcome: 'failed', error };
}
