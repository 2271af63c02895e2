import type { Chunk, ConversationMessage, ConversationSnapshot } from './chunk.ts';

/** Where a message first appears: in which batch, and as which of those that appear there (RCD-82). */
export interface Appearance {
  readonly batch: number;
  readonly nth: number;
}

/** More than any batch can show: the smallest record of 12 MiB of them has tens of bytes (STR-06). */
const PER_BATCH = 2 ** 20;

/** A cursor names a message by where it appears, so pages neither overlap nor skip while the conversation grows. */
function formatCursor(incarnation: string, { batch, nth }: Appearance): string {
  return `${incarnation}.${batch * PER_BATCH + nth}`;
}

export function parseCursor(cursor: string): { incarnation: string; place: Appearance } | undefined {
  const match = /^(inc_\w+)\.([1-9]\d{0,15})$/.exec(cursor);
  if (!match) return undefined;
  const number = Number(match[2]);
  return {
    incarnation: match[1]!,
    place: { batch: Math.floor(number / PER_BATCH), nth: number % PER_BATCH },
  };
}

export function before(a: Appearance, b: Appearance): boolean {
  return a.batch < b.batch || (a.batch === b.batch && a.nth < b.nth);
}

/**
 * Where the messages from the `known`-th on appear, out of the chunks that brought them. One that is started empty for
 * drafts that are gone comes first in its batch, as `nth` 0; so the others keep their numbers when the drafts go.
 */
export function appearances(
  messages: ReadonlyMap<string, ConversationMessage>,
  chunks: readonly Chunk[],
  known: number,
): Appearance[] {
  const fresh = new Set([...messages.keys()].slice(known));
  const found: Appearance[] = [];
  let batch = 0;
  let nth = 0;
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.position.batch !== batch) nth = 0;
    batch = chunk.position.batch;
    for (const id of shownBy(chunk)) {
      if (!fresh.delete(id)) continue;
      const isEmptyStart = chunk.type === 'message-started' && !isFilled(id, chunks.slice(index + 1), batch);
      if (!isEmptyStart) nth += 1;
      found.push({ batch, nth: isEmptyStart ? 0 : nth });
    }
  }
  return found;
}

function shownBy(chunk: Chunk): string[] {
  if (chunk.type === 'conversation-reset') return chunk.snapshot.messages.map(({ id }) => id);
  if (chunk.type === 'message-appended') return [chunk.message.id];
  return chunk.type === 'message-started' ? [chunk.messageId] : [];
}

function isFilled(id: string, following: readonly Chunk[], batch: number): boolean {
  const end = following.findIndex((chunk) => chunk.position.batch !== batch);
  const own = end === -1 ? following : following.slice(0, end);
  return own.some((chunk) => 'messageId' in chunk && chunk.messageId === id);
}

/** The newest `limit` messages before `place`, with the settlements of what they show; `pending` stays complete. */
export function windowOf(
  snapshot: ConversationSnapshot,
  places: readonly Appearance[],
  o: { readonly limit: number; readonly place?: Appearance | undefined; readonly isWhole: boolean },
): ConversationSnapshot {
  const { limit, place } = o;
  const end = place ? places.filter((one) => before(one, place)).length : places.length;
  const start = Math.max(0, end - limit);
  const messages = snapshot.messages.slice(start, end);
  const shown = new Set(messages.map(({ submissionId }) => submissionId));
  const first = places[start];
  const hasMore = start > 0 || !o.isWhole;
  return {
    ...snapshot,
    messages,
    settlements: snapshot.settlements.filter(({ submissionId }) => shown.has(submissionId)),
    window: {
      hasMore,
      ...(hasMore && first && { previousCursor: formatCursor(snapshot.incarnation, first) }),
    },
  };
}
