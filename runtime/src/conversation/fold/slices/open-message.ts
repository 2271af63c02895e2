import type { ModelRef } from '../../../ports/model-shapes.ts';
import type { AssistantDelta } from '../../records/index.ts';
import { ROOT } from '../state.ts';
import { isStep, type Step } from '../step.ts';

/** The message that the root is drafting, until the record that completes it. */
export function advanceOpenMessage(step: Step): void {
  const { state, journal } = step;
  if (isStep(step, 'assistant_delta')) {
    draft(step);
  } else if (isStep(step, 'assistant_message') && step.conv === ROOT && state.open) {
    journal.set(state.tail, 'reclaimable', [...state.tail.reclaimable, ...state.open.drafts]);
    journal.set(state, 'open', undefined);
  }
}

function draft(step: Step<AssistantDelta>): void {
  const { state, journal, record, batch } = step;
  const { turn, submissionId: host, model, part, kind, delta } = record;
  if (!state.open) {
    journal.set(state, 'open', {
      turn,
      host,
      model: model as ModelRef,
      blocks: [],
      drafts: [],
      partial: false,
    });
  }
  const open = state.open;
  if (!open) return;
  if (open.drafts.at(-1) !== batch.number) journal.push(open.drafts, batch.number);
  const last = open.blocks.at(-1);
  if (last?.part === part) journal.set(last, 'text', last.text + delta);
  else journal.push(open.blocks, { part, kind, text: delta });
}
