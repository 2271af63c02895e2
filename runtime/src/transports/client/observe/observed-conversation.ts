import type {
  Chunk,
  ConversationMessage,
  ConversationPart,
  ConversationSnapshot,
  Position,
} from '../../../conversation/projections/chunk.ts';
import {
  applyChunk,
  fromSnapshot,
  isProse,
  type Transcript,
} from '../../../conversation/projections/transcript.ts';
import { locateFiles } from '../file-urls.ts';

/*
 * The conversation that an observation shows.
 *
 * V1  What was handed out never changes: a message is copied before the first change after that, and what did not change
 *     is handed out as the same object again (OBSV-08).
 * V2  A chunk is applied once, whatever a connection repeats: positions only grow (CHNK-01).
 */

export interface ObservedConversation {
  /** the same object until something changed */
  current(offset: string): ConversationSnapshot;
  /** `known`: applied before; `gap`: something before it is missing, so the whole has to be read again (CHNK-02) */
  apply(chunk: Chunk): 'applied' | 'known' | 'gap';
  message(id: string): ConversationMessage | undefined;
  /** every message, oldest first */
  messages(): Iterable<ConversationMessage>;
  /** puts the page before the oldest message in front */
  prepend(page: ConversationSnapshot): void;
}

/** `locate` gives a file its URL (HIST-09). `before` is what was shown until now: what is equal in both stays the same. */
export function observedConversation(
  snapshot: ConversationSnapshot,
  locate: (id: string) => string | undefined,
  before?: ObservedConversation,
): ObservedConversation {
  const transcript: Transcript = fromSnapshot(snapshot);
  let { window } = snapshot;
  /** as handed out last */
  const shown = new Map<string, ConversationMessage>();
  for (const message of before?.messages() ?? []) shown.set(message.id, message);
  /** messages that are copies of our own until they are handed out */
  let touched = new Set(transcript.messages.keys());
  for (const message of transcript.messages.values()) locateFiles(message, locate);
  let last: Position | undefined;
  let handedOut: ConversationSnapshot | undefined;

  /** V1 */
  function own(id: string): void {
    const message = transcript.messages.get(id);
    if (!message || touched.has(id)) return;
    touched.add(id);
    transcript.messages.set(id, { ...message, parts: message.parts.map((part) => ({ ...part })) });
  }

  function settleCopies(): void {
    for (const id of touched) {
      const message = transcript.messages.get(id);
      if (!message) continue;
      const kept = unchanged(shown.get(id), message);
      transcript.messages.set(id, kept);
      shown.set(id, kept);
    }
    touched = new Set();
  }

  return {
    current(offset) {
      if (handedOut && touched.size === 0 && handedOut.offset === offset) return handedOut;
      settleCopies();
      const { conversationId, incarnation, uid, messages, settlements, pending } = transcript;
      handedOut = {
        v: 1,
        conversationId,
        offset,
        incarnation,
        ...(uid !== undefined && { uid }),
        messages: [...messages.values()],
        settlements: [...settlements],
        pending: [...pending.values()],
        ...(window && { window }),
      };
      return handedOut;
    },
    apply(chunk) {
      if (last && !isBehind(last, chunk.position)) return 'known';
      if (leavesGap(transcript, chunk)) return 'gap';
      handedOut = undefined;
      if ('messageId' in chunk) own(chunk.messageId);
      applyChunk(transcript, chunk);
      if (chunk.type === 'message-started') touched.add(chunk.messageId);
      if (chunk.type === 'message-appended') {
        touched.add(chunk.message.id);
        locateFiles(transcript.messages.get(chunk.message.id)!, locate);
      }
      if (chunk.type === 'conversation-reset') {
        window = chunk.snapshot.window;
        touched = new Set(transcript.messages.keys());
        for (const message of transcript.messages.values()) locateFiles(message, locate);
      }
      last = chunk.position;
      return 'applied';
    },
    message: (id) => transcript.messages.get(id),
    messages: () => transcript.messages.values(),
    prepend(page) {
      const { messages, settlements } = fromSnapshot(page);
      for (const message of messages.values()) {
        locateFiles(message, locate);
        touched.add(message.id);
      }
      transcript.messages = new Map([...messages, ...transcript.messages]);
      const known = new Set(transcript.settlements.map(({ submissionId }) => submissionId));
      const older = settlements.filter(({ submissionId }) => !known.has(submissionId));
      transcript.settlements = [...older, ...transcript.settlements];
      window = page.window;
      handedOut = undefined;
    },
  };
}

function isBehind(one: Position, other: Position): boolean {
  return one.batch < other.batch || (one.batch === other.batch && one.index < other.index);
}

/** A delta says how much of its part is there already. */
function leavesGap({ messages }: Transcript, chunk: Chunk): boolean {
  if (chunk.type !== 'message-delta') return false;
  const part = messages.get(chunk.messageId)?.parts[chunk.part];
  return chunk.at > (part && isProse(part) ? part.text.length : 0);
}

/** The message as it was handed out where nothing of it changed, else with those of its parts that did not. */
function unchanged(before: ConversationMessage | undefined, after: ConversationMessage): ConversationMessage {
  if (!before) return after;
  const parts = after.parts.map((part, index) => {
    const same = before.parts[index];
    return same && isSame(same, part) ? same : part;
  });
  const isWhole =
    parts.length === before.parts.length && parts.every((part, index) => part === before.parts[index]);
  if (!isWhole) return { ...after, parts };
  const message = { ...after, parts: before.parts };
  return isSame(before, message) ? before : message;
}

/** Values inside are replaced and never changed, so looking one level deep tells; text of JSON tells of the others. */
function isSame<T extends ConversationMessage | ConversationPart>(one: T, other: T): boolean {
  const keys = Object.keys(other) as (keyof T)[];
  if (keys.length !== Object.keys(one).length) return false;
  return keys.every((key) => one[key] === other[key] || isSameJson(one[key], other[key]));
}

function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  return JSON.stringify(one) === JSON.stringify(other);
}
