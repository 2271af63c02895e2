import { type Child, type Conversation, ROOT } from '../../conversation/fold/state.ts';
import { conversationId } from '../../conversation/records/index.ts';
import type { Events } from './events.ts';

const ROOT_SESSION = 'default';

/** Where the events of each conversation of an attempt belong: the response's own, and those of its delegates and harnesses. */
export class ConversationEvents {
  readonly #attempt: Events;
  readonly #children = new Map<number, Events>();
  readonly #operations = new Map<number, Events>();

  constructor(attempt: Events) {
    this.#attempt = attempt;
  }

  /** From now on everything in the conversation belongs to this operation, until `undefined` ends it. */
  enter(conv: number, operation: Events | undefined): void {
    if (operation) this.#operations.set(conv, operation);
    else this.#operations.delete(conv);
  }

  of(state: Conversation, conv: number): Events {
    const operation = this.#operations.get(conv);
    if (operation) return operation;
    if (conv === ROOT) return this.#ofRoot(state);
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
    const id = conversationId(state.incarnation, conv);
    const child = state.conversations.children.get(conv);
    const parent = child?.parent ?? ROOT;
    return this.of(state, parent).within({
      conversationId: id,
      session: sessionOf(state, conv),
      parentSession: sessionOf(state, parent),
      ...(child?.kind === 'harness' ? { harness: harnessName(child) } : { taskId: id }),
    });
  }
}

function sessionOf(state: Conversation, conv: number): string {
  if (conv === ROOT) return ROOT_SESSION;
  const kind = state.conversations.children.get(conv)?.kind ?? 'task';
  return `${kind}:${conversationId(state.incarnation, conv)}`;
}

/** HARN-02. */
function harnessName({ opener }: Child): string {
  return 'hook' in opener ? opener.hook : 'default';
}
