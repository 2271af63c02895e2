import type { StateWritten } from '../../records/index.ts';
import { bodyOf } from '../calls.ts';
import type { ToolBatch } from '../state.ts';
import { isStep, type Step } from '../step.ts';

/** Committed values: a write outside a call holds at once, a bound one when its tool batch commits (RCD-28). */
export function advanceValues(step: Step): void {
  const { state, journal } = step;
  if (isStep(step, 'state_written') && step.record.call === undefined) {
    journal.put(state.values, step.record.name, step.record.value);
  }
  if (step.committed) {
    for (const write of heldWrites(step.committed)) journal.put(state.values, write.name, write.value);
  }
}

/** In order of writing, without those of calls that were interrupted (STATE-08). */
function heldWrites(batch: ToolBatch): StateWritten[] {
  return batch.calls
    .filter((call) => call.writes.length > 0 && call.outcome && bodyOf(call.outcome).interrupted !== true)
    .flatMap((call) => call.writes.map(bodyOf))
    .sort((a, b) => (a.n ?? 0) - (b.n ?? 0));
}
