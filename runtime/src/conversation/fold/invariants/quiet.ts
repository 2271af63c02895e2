import { type Child, ROOT } from '../state.ts';
import { isPlacedSignal, type Step, violation } from '../step.ts';
import { belowCall } from '../tree.ts';

/** RCD-61: nothing is placed, closed, narrated, compacted or settled in the middle of a message or of its calls. */
export function checkQuiet(step: Step): void {
  const { state, record, conv } = step;
  switch (record.type) {
    case 'user_message':
      if (record.acceptedAt === undefined) requireQuiet(step, conv);
      return;
    case 'signal':
      if (isPlacedSignal(state, record)) requireQuiet(step, ROOT);
      return;
    case 'resources_recorded':
    case 'compaction':
      requireQuiet(step, conv);
      return;
    case 'call_settled':
      requireAllQuiet(step, belowCall(state, conv, record.call));
      return;
    case 'seam_closed':
      requireQuiet(step, ROOT);
      requireAllQuiet(step, state.conversations.children.values());
      return;
    case 'submission_settled':
      if (record.submissionId !== state.response?.host) return;
      requireQuiet(step, ROOT);
      requireAllQuiet(step, state.conversations.children.values());
  }
}

function requireAllQuiet(step: Step, children: Iterable<Child>): void {
  for (const child of children) requireQuiet(step, child.conv);
}

function requireQuiet(step: Step, conv: number): void {
  const { state } = step;
  if (conv === ROOT && state.open) violation(step, 'message_open', 'a message is being drafted');
  if (state.toolBatches.has(conv))
    violation(step, 'batch_open', `calls of conversation ${conv} are unsettled`);
}
