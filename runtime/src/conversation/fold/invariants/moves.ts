import type { SubmissionMoved } from '../../records/index.ts';
import { findPending, head, isLive } from '../lookups.ts';
import { ROOT } from '../state.ts';
import { isQuiet, isStep, type Step, violation } from '../step.ts';

/** RCD-54: who may run, join or go back. */
export function checkMove(step: Step): void {
  if (!isStep(step, 'submission_moved')) return;
  const { to } = step.record;
  if (to === 'running') checkRunning(step);
  else if (to === 'joined') checkJoined(step);
  else checkQueued(step);
}

function checkRunning(step: Step<SubmissionMoved>): void {
  const { state, record, batch } = step;
  const next = head(state);
  if (next?.submissionId !== record.submissionId) {
    violation(step, 'move', `the oldest unsettled submission is ${next?.submissionId ?? 'none'}`);
  }
  if (state.response?.host === record.submissionId && state.response.epoch === batch.epoch) {
    violation(step, 'move', `epoch ${batch.epoch} has announced it before`);
  }
  if (state.open) violation(step, 'move', 'a message is still being drafted');
}

function checkJoined(step: Step<SubmissionMoved>): void {
  const { state, record, batch } = step;
  if (record.to !== 'joined') return;
  const { response } = state;
  const next = state.queue.pending.find((each) => each.state === 'queued' && each.kind === 'delivery');
  if (next?.submissionId !== record.submissionId) {
    violation(step, 'move', `the oldest queued delivery is ${next?.submissionId ?? 'none'}`);
  }
  if (response?.host !== record.host || response.kind !== 'delivery' || !isLive(state, batch.epoch)) {
    violation(step, 'move', `${record.host} has no live response`);
  }
  if (!isQuiet(state, ROOT)) violation(step, 'move', 'the turn is not over');
}

function checkQueued(step: Step<SubmissionMoved>): void {
  const { state, record } = step;
  if (findPending(state, record.submissionId)?.state !== 'running')
    violation(step, 'move', 'it was not running');
  if (!isQuiet(state, ROOT)) violation(step, 'move', 'the turn is not over');
}
