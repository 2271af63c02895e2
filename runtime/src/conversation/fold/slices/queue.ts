import type { AcceptedRecord, SubmissionMoved } from '../../records/index.ts';
import type { Held, Pending } from '../state.ts';
import { isStep, type Step } from '../step.ts';

/** The unsettled admissions, from acceptance to settlement. */
export function advanceQueue(step: Step): void {
  const { state, journal, record } = step;
  if (isAdmission(record)) admit(step, record);
  else if (isStep(step, 'submission_moved')) move(step);
  else if (record.type === 'seam_closed' && record.seam === 'start') {
    const pending = find(step, record.submissionId);
    if (pending) journal.set(pending, 'startSeamClosed', true);
  } else if (record.type === 'submission_settled') {
    const left = state.queue.pending.filter((pending) => pending.submissionId !== record.submissionId);
    journal.set(state.queue, 'pending', left);
    journal.set(state.queue, 'settled', state.queue.settled + 1);
  }
}

const MESSAGE_KINDS = { user_message: 'user', signal: 'signal', compaction_requested: undefined } as const;

export function isAdmission(record: Step['record']): record is AcceptedRecord {
  if (record.type === 'compaction_requested') return true;
  return (record.type === 'user_message' || record.type === 'signal') && record.acceptedAt !== undefined;
}

function admit(step: Step, record: AcceptedRecord): void {
  const { state, journal } = step;
  const pending: Pending = {
    submissionId: record.submissionId,
    kind: record.type === 'compaction_requested' ? 'compact' : 'delivery',
    message: MESSAGE_KINDS[record.type],
    acceptedAt: record.acceptedAt ?? '',
    state: 'queued',
    host: undefined,
    placed: false,
    startSeamClosed: false,
    held: step.held as Held<AcceptedRecord>,
  };
  journal.set(state.queue, 'pending', [...state.queue.pending, pending]);
}

function move(step: Step<SubmissionMoved>): void {
  const { journal, record } = step;
  const pending = find(step, record.submissionId);
  if (!pending) return;
  journal.set(pending, 'state', record.to);
  if (record.to === 'joined') journal.set(pending, 'host', record.host);
  if (record.to !== 'queued' && pending.kind === 'delivery') journal.set(pending, 'placed', true);
}

function find(step: Step, submissionId: string): Pending | undefined {
  return step.state.queue.pending.find((pending) => pending.submissionId === submissionId);
}
