import { conversationId, type NewRecord } from '../records/index.ts';
import { type Conversation, ROOT, type ToolBatch, type ToolCall } from './state.ts';
import { belowCall, childrenOfCall, depth, inHarness } from './tree.ts';

/**
 * What closes the tail that a former owner left (REC-05): the message in progress as aborted, with all that was shown
 * of it, and the calls of harness conversations, which are never resumed. Empty when nothing is open, so repeating it
 * writes nothing (REC-06).
 */
export function converge(state: Conversation): NewRecord[] {
  return [...abortedMessage(state), ...interruptedCalls(state, (conv) => inHarness(state, conv))];
}

function abortedMessage(state: Conversation): NewRecord[] {
  const { open } = state;
  if (!open) return [];
  const content = open.blocks.map(({ kind, text, part }) => ({ type: kind, text, part }));
  const { turn, model, host: submissionId } = open;
  return [{ type: 'assistant_message', submissionId, turn, model, content, stop: 'aborted' }];
}

/**
 * An outcome for every open call of the conversations wanted, the deepest first, so that what hangs below a call has
 * settled when the call does (RCD-61).
 */
export function interruptedCalls(
  state: Conversation,
  wanted: (conv: number, call: ToolCall) => boolean,
): NewRecord[] {
  const batches = [...state.toolBatches.values()];
  batches.sort((a, b) => depth(state, b.conv) - depth(state, a.conv) || a.conv - b.conv);
  return batches.flatMap((batch) =>
    batch.calls
      .filter((call) => isOpen(call) && wanted(batch.conv, call))
      .map((call) => interruptedCall(state, batch, call)),
  );
}

/**
 * Open calls of a conversation that are taken up again: those whose task has a conversation of its own to go on with
 * (TSK-02), and those of durable tools that are mounted still (DTL-01, DTL-06).
 */
export function resumableCalls(
  state: Conversation,
  conv: number,
  isDurable: (tool: string) => boolean,
): ToolCall[] {
  const calls = state.toolBatches.get(conv)?.calls ?? [];
  return calls.filter((call) => isOpen(call) && (hasTask(state, conv, call) || isDurable(call.tool)));
}

/** An outcome for the other open calls of that conversation (TBR-01). */
export function unresumedCalls(
  state: Conversation,
  conv: number,
  isDurable: (tool: string) => boolean,
): NewRecord[] {
  const resumed = new Set(resumableCalls(state, conv, isDurable));
  return interruptedCalls(state, (where, call) => where === conv && !resumed.has(call));
}

function hasTask(state: Conversation, conv: number, call: ToolCall): boolean {
  return childrenOfCall(state, conv, call.id).some((child) => child.kind === 'task');
}

/** What is still open below a call that is about to settle (RCD-61). */
export function callsBelow(state: Conversation, conv: number, call: string): NewRecord[] {
  const below = new Set(belowCall(state, conv, call).map((child) => child.conv));
  return below.size === 0 ? [] : interruptedCalls(state, (child) => below.has(child));
}

function isOpen(call: ToolCall): boolean {
  return call.outcome === undefined;
}

/** TCALL-12: whether an ordinary call took effect is unknown, and the model is told so. */
function interruptedCall(state: Conversation, batch: ToolBatch, call: ToolCall): NewRecord {
  const { conv, turn } = batch;
  const task = childrenOfCall(state, conv, call.id).find((child) => child.kind === 'task');
  const result = {
    type: 'interrupted',
    message: 'The call was interrupted. Whether it took effect is unknown.',
    ...(task ? { childConversationId: conversationId(state.incarnation, task.conv) } : {}),
  };
  return {
    type: 'call_settled',
    submissionId: state.response?.host ?? '',
    ...(conv === ROOT ? {} : { conv }),
    turn,
    call: call.id,
    tool: call.tool,
    status: 'error',
    interrupted: true,
    content: [{ type: 'text', text: JSON.stringify(result) }],
  };
}
