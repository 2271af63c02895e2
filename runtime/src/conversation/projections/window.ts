import type { ConversationSnapshot } from './chunk.ts';

/**
 * A cursor names the place of a message counted from the first. Messages keep the place of their first appearance
 * (RCD-82), so pages neither overlap nor skip while the conversation grows.
 */
function formatCursor(incarnation: string, place: number): string {
  return `${incarnation}.${place}`;
}

export function parseCursor(cursor: string): { incarnation: string; place: number } | undefined {
  const match = /^(inc_\w+)\.([1-9]\d{0,15})$/.exec(cursor);
  return match ? { incarnation: match[1]!, place: Number(match[2]) } : undefined;
}

/** The newest `limit` messages before `place`, with the settlements of what they show; `pending` stays complete. */
export function windowOf(
  snapshot: ConversationSnapshot,
  limit: number,
  place = snapshot.messages.length,
): ConversationSnapshot {
  const start = Math.max(0, place - limit);
  const messages = snapshot.messages.slice(start, place);
  const shown = new Set(messages.map(({ submissionId }) => submissionId));
  return {
    ...snapshot,
    messages,
    settlements: snapshot.settlements.filter(({ submissionId }) => shown.has(submissionId)),
    window: {
      hasMore: start > 0,
      ...(start > 0 && { previousCursor: formatCursor(snapshot.incarnation, start) }),
    },
  };
}
