import type { ConversationOpened, RootOpened } from '../../records/index.ts';
import { type Child, type Held, ROOT } from '../state.ts';
import { isStep, type Step } from '../step.ts';
import { belowCall, belowHooks } from '../tree.ts';

/** The birth, and children until their call settles, their hook's seam closes or the host settles (RCD-20). */
export function advanceConversations(step: Step): void {
  const { state, journal } = step;
  if (isStep(step, 'conversation_opened')) {
    open(step);
    return;
  }
  const closed = closedBy(step);
  if (closed.length === 0) return;
  for (const child of closed) journal.remove(state.conversations.children, child.conv);
  step.closed = closed.map((child) => child.conv);
}

function open(step: Step<ConversationOpened>): void {
  const { state, journal, record } = step;
  if (record.kind === 'root') {
    journal.set(state, 'birth', { uid: record.uid, held: step.held as Held<RootOpened> });
    return;
  }
  const { conv, kind, parent = ROOT, call, hook, agent } = record;
  const opener = call === undefined ? { hook: hook ?? '' } : { call };
  const child: Child = { conv, kind, parent, opener, agent };
  journal.put(state.conversations.children, conv, child);
  journal.set(state.conversations, 'opened', conv);
}

function closedBy(step: Step): readonly Child[] {
  const { state, record, conv } = step;
  switch (record.type) {
    case 'call_settled':
      return belowCall(state, conv, record.call);
    case 'seam_closed':
      return belowHooks(state);
    case 'submission_settled':
      return record.submissionId === state.response?.host ? [...state.conversations.children.values()] : [];
    default:
      return [];
  }
}
