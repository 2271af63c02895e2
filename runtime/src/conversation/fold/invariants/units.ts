import type { Signal } from '../../records/index.ts';
import { findPending } from '../lookups.ts';
import { ROOT } from '../state.ts';
import { earlier, isSignalAs, isStep, later, neighbour, type Step, signalRole, violation } from '../step.ts';

/** RCD-62: a signal that nobody delivered stands in the unit that explains it. */
export function checkSignal(step: Step): void {
  if (!isStep(step, 'signal') || step.record.acceptedAt !== undefined) return;
  const { record } = step;
  switch (signalRole(record)) {
    case 'append':
      if (!later(step, (other) => other.type === 'seam_closed')) {
        violation(step, 'signal', 'an append is followed by the seam that made it');
      }
      return;
    case 'narration':
      if (!later(step, (other) => other.type === 'resources_recorded')) {
        violation(step, 'signal', 'narration is followed by what it narrated');
      }
      return;
    case 'advisory':
      if (!later(step, (other) => settles(other, record))) {
        violation(step, 'signal', 'an advisory is followed by its settlement');
      }
      return;
    case 'plumbing':
      checkContinuation(step);
      return;
    case 'none':
      violation(step, 'signal', `nobody writes a signal ${record.signalType}`);
  }
}

function settles(other: Step['record'], advisory: Signal): boolean {
  return other.type === 'submission_settled' && other.submissionId === advisory.submissionId;
}

function checkContinuation(step: Step<Signal>): void {
  const interrupted = step.record.signalType === 'stream_interrupted';
  const partner = neighbour(step, interrupted ? 1 : -1);
  const expected = interrupted ? 'stream_continued' : 'stream_interrupted';
  if (partner?.type !== 'signal' || partner.signalType !== expected) {
    violation(step, 'signal', 'stream_interrupted and stream_continued stand together');
  }
  if (!interrupted) return;
  const last = step.state.windows.get(ROOT)?.entries.at(-1);
  if (last?.kind !== 'assistant' || last.stop !== 'aborted') {
    violation(step, 'signal', 'the model was not interrupted');
  }
}

/** RCD-63: a start seam closes once for each delivery, a finish cycle only when it appended. */
export function checkSeam(step: Step): void {
  if (!isStep(step, 'seam_closed')) return;
  const { record } = step;
  if (record.seam === 'finish') checkCycle(step, record.cycle);
  else checkStart(step, record.submissionId);
}

function checkStart(step: Step, submissionId: string): void {
  const pending = findPending(step.state, submissionId);
  if (!pending?.placed) violation(step, 'seam', `${submissionId} is not placed`);
  if (pending.startSeamClosed) violation(step, 'seam', `the start seam of ${submissionId} is closed already`);
}

function checkCycle(step: Step, cycle: number): void {
  const next = (step.state.response?.cycles ?? 0) + 1;
  if (cycle !== next) violation(step, 'seam', `the next finish cycle is ${next}`);
  const append = earlier(
    step,
    (other) => isSignalAs(other, 'append'),
    (other) => other.type === 'seam_closed',
  );
  if (!append) violation(step, 'seam', 'a finish cycle without an append is not recorded');
}
