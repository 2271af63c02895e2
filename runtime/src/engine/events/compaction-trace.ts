import { windowOf } from '../../conversation/fold/queries.ts';
import type { Conversation } from '../../conversation/fold/state.ts';
import type { Compaction } from '../../conversation/records/index.ts';
import type { ModelEnd, ModelInfo, ModelRequest } from '../../ports/model-gateway.ts';
import type { EventBody } from './event.ts';
import type { Events } from './events.ts';
import { ModelCallTrace } from './model-call-trace.ts';

/** One compaction, with the calls that write its summary, from its start to its one end (CMP-12). */
export class CompactionTrace {
  readonly events: Events;
  readonly #name: string;
  readonly #before: number;
  readonly #started: number;
  #calls = 0;

  /** @param name is unique among compactions */
  constructor(
    events: Events,
    state: Conversation,
    name: string,
    start: { readonly reason: Compaction['reason']; readonly estimatedTokens: number },
  ) {
    this.events = events;
    this.#name = name;
    this.#before = messagesIn(state);
    this.#started = events.now();
    events.emit({ type: 'compaction_start', ...start });
  }

  /** It leaves no message, so it is told as a whole once it has ended. */
  call(request: ModelRequest, info: ModelInfo): { ended(end: ModelEnd): void; readonly turnId: string } {
    this.#calls += 1;
    const turnId = `${this.#name}.${this.#calls}`;
    const trace = new ModelCallTrace({ events: this.events, turnId, request, info, isCompacted: false });
    return {
      turnId,
      ended(end) {
        trace.ended(end);
        trace.finish();
      },
    };
  }

  recorded(state: Conversation, { usage }: Compaction): void {
    this.#end(messagesIn(state), { isError: false, ...(usage && { usage }) });
  }

  failed(error: unknown): void {
    this.#end(this.#before, {
      isError: true,
      error: this.events.eventError(error),
      errorInfo: this.events.errorInfo(error),
    });
  }

  #end(messagesAfter: number, rest: End): void {
    this.events.emit({
      type: 'compaction',
      messagesBefore: this.#before,
      messagesAfter,
      durationMs: Math.max(0, Math.round(this.events.now() - this.#started)),
      ...rest,
    });
  }
}

type End = Pick<Extract<EventBody, { type: 'compaction' }>, 'isError' | 'error' | 'errorInfo' | 'usage'>;

function messagesIn(state: Conversation): number {
  const { entries, summary } = windowOf(state);
  return entries.length + (summary ? 1 : 0);
}
