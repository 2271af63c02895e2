import type { SubmissionSettled } from '../../records/index.ts';
import { findPending } from '../lookups.ts';
import type { Pending } from '../state.ts';
import { earlier, isSignalAs, isStep, later, type Step, violation } from '../step.ts';

/** RCD-67: one outcome each, told with its reason, and the same for all that one response answers. */
export function checkSettlement(step: Step): void {
  if (!isStep(step, 'submission_settled')) return;
  const { record } = step;
  const pending = findPending(step.state, record.submissionId);
  if (!pending) violation(step, 'settlement', `${record.submissionId} is not in the queue`);
  checkReason(step, pending);
  if (pending.state === 'joined') checkJoined(step, pending);
  else checkAlone(step, pending);
}

/** A host, or one that never had a response. */
function checkAlone(step: Step<SubmissionSettled>, pending: Pending): void {
  const { state, record } = step;
  if (record.answeredBySubmissionId !== undefined)
    violation(step, 'settlement', 'only a joined one is answered by another');
  for (const other of state.queue.pending) {
    if (other.host === record.submissionId && other.state === 'joined') checkSettledWith(step, other);
  }
  if (record.outcome === 'completed' && pending.kind === 'delivery') checkComplete(step);
}

function checkReason(step: Step<SubmissionSettled>, pending: Pending): void {
  const { outcome, error, submissionId } = step.record;
  if ((error === undefined) !== (outcome === 'completed')) {
    violation(step, 'settlement', 'an error goes with every outcome but completed');
  }
  const expected = outcome === 'completed' || pending.kind === 'compact' ? 0 : 1;
  const advisories = step.batch.records.filter(
    (other, at) =>
      at < step.index && other && isSignalAs(other, 'advisory') && other.submissionId === submissionId,
  );
  if (advisories.length !== expected) violation(step, 'settlement', `it goes with ${expected} advisory`);
}

function checkJoined(step: Step<SubmissionSettled>, pending: Pending): void {
  const { record } = step;
  const host = earlier(
    step,
    (other) => other.type === 'submission_settled' && other.submissionId === pending.host,
  );
  if (host?.type !== 'submission_settled' || host.outcome !== record.outcome) {
    violation(step, 'settlement', `its host ${pending.host} settles with it, before it and alike`);
  }
  if (record.answeredBySubmissionId !== pending.host)
    violation(step, 'settlement', `it was answered by ${pending.host}`);
}

function checkSettledWith(step: Step<SubmissionSettled>, joined: Pending): void {
  const other = later(
    step,
    (each) => each.type === 'submission_settled' && each.submissionId === joined.submissionId,
  );
  if (other?.type !== 'submission_settled')
    violation(step, 'settlement', `${joined.submissionId} has joined it`);
}

/** SUB-07: nothing ends as an empty success. */
function checkComplete(step: Step<SubmissionSettled>): void {
  const { response } = step.state;
  if (response?.host !== step.record.submissionId || !response.final) {
    violation(step, 'settlement', 'its response is not complete');
  }
}
