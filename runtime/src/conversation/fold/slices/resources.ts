import { isStep, type Step } from '../step.ts';

/** What the model was last told it has, and the baseline of its system prompt (RCD-32). */
export function advanceResources(step: Step): void {
  if (!isStep(step, 'resources_recorded')) return;
  const { state, journal, record } = step;
  const baseline = record.prompt === undefined ? state.resources?.baseline : step.held;
  if (baseline) journal.set(state, 'resources', { last: record.snapshot, baseline });
}
