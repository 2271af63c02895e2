import { isAdmission } from '../slices/queue.ts';
import { ROOT } from '../state.ts';
import { isReserved, isStep, type Step, violation } from '../step.ts';

/** RCD-51: the stream begins with the root's birth, and has one. */
export function checkBirth(step: Step): void {
  const isBirth = step.record.type === 'conversation_opened' && step.record.kind === 'root';
  if (isBirth && step.state.birth) violation(step, 'birth', 'the instance was born before');
  if (!isBirth && !step.state.birth)
    violation(step, 'birth', 'the stream does not begin with the birth of the root');
}

/** RCD-52: a record belongs to an open conversation, and a child opens next in order and on an open call. */
export function checkConversation(step: Step): void {
  const { state, record, conv } = step;
  const { children, opened } = state.conversations;
  if (record.type !== 'conversation_opened') {
    if (conv !== ROOT && !children.has(conv))
      violation(step, 'conversation', `conversation ${conv} is not open`);
    if (isStep(step, 'user_message') && conv === ROOT && step.record.acceptedAt === undefined) {
      violation(step, 'conversation', 'a prompt belongs to a child');
    }
    return;
  }
  if (record.kind === 'root') return;
  const parent = record.parent ?? ROOT;
  if (record.conv !== opened + 1) violation(step, 'conversation', `the next child is ${opened + 1}`);
  if (parent !== ROOT && !children.has(parent))
    violation(step, 'conversation', `its parent ${parent} is not open`);
  if (record.call === undefined) return;
  const call = state.toolBatches.get(parent)?.calls.find((each) => each.id === record.call);
  if (!call || call.outcome) violation(step, 'conversation', `its call ${record.call} is not open`);
}

/** RCD-53: what is accepted is new to the queue and no word of the framework's. */
export function checkDelivery(step: Step): void {
  const { state, record, conv } = step;
  if (!isAdmission(record)) return;
  if (conv !== ROOT) violation(step, 'delivery', 'a delivery is accepted by the root');
  if (state.queue.pending.some((pending) => pending.submissionId === record.submissionId)) {
    violation(step, 'delivery', `${record.submissionId} is in the queue already`);
  }
  if (record.type === 'signal' && isReserved(record.signalType)) {
    violation(step, 'delivery', `the signal type ${record.signalType} is the framework's own`);
  }
}
