import type { Conversation, Pending } from './state.ts';

export function findPending(state: Conversation, submissionId: string): Pending | undefined {
  return state.queue.pending.find((pending) => pending.submissionId === submissionId);
}

/** Whose turn it is: the oldest unsettled submission that has not joined another's response. */
export function head(state: Conversation): Pending | undefined {
  return state.queue.pending.find((pending) => pending.state !== 'joined');
}

/** Whether the host runs and this epoch has announced it (RCD-55). */
export function isLive(state: Conversation, epoch: number): boolean {
  const { response } = state;
  return response?.epoch === epoch && findPending(state, response.host)?.state === 'running';
}
