import { type Conversation, ROOT } from '../../conversation/fold/state.ts';
import { conversationId } from '../../conversation/records/index.ts';
import type { Events } from './events.ts';

const ROOT_SESSION = 'default';

/** Where the events of each conversation of an attempt belong: the response's own, and those of its delegates. */
export class ConversationEvents {
  readonly #attempt: Events;
  readonly #children = new Map<number, Events>();
  #operation: Events | undefined;

  constructor(attempt: Events) {
    this.#attempt = attempt;
  }

  /** From now on everything belongs to this operation, until `undefined` ends it. */
  enter(operation: Events | undefined): void {
    this.#operation = operation;
  }

  of(state: Conversation, conv: number): Events {
    if (conv === ROOT) return this.#operation ?? this.#ofRoot(state);
    // Kept, since a delegate's conversation is closed before the last of it is told.
    let child = this.#children.get(conv);
    if (!child) {
      child = this.#ofChild(state, conv);
      this.#children.set(conv, child);
    }
    return child;
  }

  #ofRoot(state: Conversation): Events {
    return this.#attempt.within({
      conversationId: conversationId(state.incarnation),
      session: ROOT_SESSION,
    });
  }

  #ofChild(state: Conversation, conv: number): Events {
    const taskId = conversationId(state.incarnation, conv);
    const parent = state.conversations.children.get(conv)?.parent ?? ROOT;
    return this.of(state, ROOT).within({
      conversationId: taskId,
      session: sessionOf(state, conv),
      parentSession: sessionOf(state, parent),
      taskId,
    });
  }
}

function sessionOf(state: Conversation, conv: number): string {
  return conv === ROOT ? ROOT_SESSION : `task:${conversationId(state.incarnation, conv)}`;
}
