import type { Signal, UserMessage } from '../../records/index.ts';
import type { Held } from '../state.ts';
import { isSignalAs, isStep, type Step } from '../step.ts';

/** DLV-01: the delivery placed last, or the signal appended last; what the framework says never moves it (DLV-03). */
export function advanceCursor(step: Step): void {
  const { state, journal, record } = step;
  if (isStep(step, 'submission_moved')) {
    const pending = state.queue.pending.find((each) => each.submissionId === record.submissionId);
    if (step.record.to === 'queued' || pending?.kind !== 'delivery' || pending.placed) return;
    journal.set(state, 'cursor', pending.held as Held<UserMessage | Signal>);
  } else if (isSignalAs(record, 'append')) {
    journal.set(state, 'cursor', step.held as Held<Signal>);
  }
}
