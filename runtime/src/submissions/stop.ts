import type { FlueError } from '../errors/flue-error.ts';
import type { AttemptContext } from './attempt-context.ts';
import { SubmissionAbortedError, SubmissionTimeoutError } from './errors.ts';
import { Interrupted } from './interrupted.ts';
import { patiently } from './patient-store.ts';
import type { StreamWriter } from './stream-writer.ts';

/** What keeps an attempt from going on. */
export type Stop =
  | { readonly do: 'settle'; readonly outcome: 'failed' | 'aborted'; readonly error: FlueError }
  | { readonly do: 'release' };

/** Resolves when this process may start something new for the instance; the store's silence is waited out (OWN-07). */
export function mayStart({ ports, claim, patientUntil }: AttemptContext): Promise<void> {
  return patiently(ports.clock, patientUntil, () => ports.confirmOwnership(claim.path, claim.epoch));
}

/** What stops the attempt now, if anything does (TURN-16, BUD-05, SHD-01). */
export function stopReason(context: AttemptContext, writer: StreamWriter): Stop | undefined {
  if (context.signal.aborted) return unwound(context);
  if (isAborted(context, writer)) {
    return { do: 'settle', outcome: 'aborted', error: new SubmissionAbortedError() };
  }
  if (isOverdue(context)) return timedOut(context);
  return context.isReleasing() ? { do: 'release' } : undefined;
}

/** Whether the host was asked to stop, by a call here or by a stamp that a commit told of (CMT-08). */
export function isAborted({ abortedIds, claim }: AttemptContext, writer: StreamWriter): boolean {
  return abortedIds.has(claim.row.submissionId) || writer.abortRequestedAt !== undefined;
}

/** Whether nothing new may start any more. */
export function isOverdue({ ports, deadline }: AttemptContext): boolean {
  return ports.clock.now() >= deadline;
}

export function timedOut({ claim }: AttemptContext): Stop {
  const error = new SubmissionTimeoutError({ timeoutMs: claim.row.timeoutMs });
  return { do: 'settle', outcome: 'failed', error };
}

/** What follows from the reason with which the signal fired. */
export function unwound({ signal }: AttemptContext): Stop {
  const reason: unknown = signal.reason;
  if (reason instanceof SubmissionAbortedError) return { do: 'settle', outcome: 'aborted', error: reason };
  if (reason instanceof SubmissionTimeoutError) return { do: 'settle', outcome: 'failed', error: reason };
  if (reason instanceof Interrupted) return { do: 'release' };
  throw reason;
}
