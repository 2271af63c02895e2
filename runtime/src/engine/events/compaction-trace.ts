import { windowOf } from '../../conversation/fold/queries.ts';
import type { Conversation } from '../../conversation/fold/state.ts';
import type { Compaction } from '../../conversation/records/index.ts';
import type { ModelEnd, ModelInfo, ModelRequest } from '../../ports/model-gateway.ts';
import type { EventBody } from './event.ts';
import type { Events } from './events.ts';
import { ModelCallTrace } from './model-call-trace.ts';
import { type Retry, tellRetry } from './retry.ts';

/** What the calls that write a summary tell on the way. */
export interface SummaryTrace {
  call(request: ModelRequest, info: ModelInfo): { ended(end: ModelEnd): void; readonly turnId: string };
  retrying(turnId: string, fault: ModelEnd['fault'], retry: Retry): void;
}

/** Without an observer; a retry is logged all the same. */
export function untoldSummary(events: Events): SummaryTrace {
  return {
    call: () => ({ turnId: '', ended: () => {} }),
    retrying: (turnId, fault, retry) => tellRetry(events, turnId, fault, retry),
  };
}

/** One compaction, with the calls that write its summary, from its start to its one end (CMP-12). */
export class CompactionTrace implements SummaryTrace {
  readonly #events: Events;
  readonly #conv: number;
  readonly #name: string;
  readonly #before: number;
  readonly #started: number;
  #calls = 0;

  /** @param name is unique among compactions */
  constructor(
    events: Events,
    state: Conversation,
    conv: number,
    name: string,
    start: { readonly reason: Compaction['reason']; readonly estimatedTokens: number },
  ) {
    this.#events = events;
    this.#conv = conv;
    this.#name = name;
    this.#before = messagesIn(state, conv);
    this.#started = events.now();
    events.emit({ type: 'compaction_start', ...start });
  }

  /** It leaves no message, so it is told as a whole once it has ended. */
  call(request: ModelRequest, info: ModelInfo): { ended(end: ModelEnd): void; readonly turnId: string } {
    this.#calls += 1;
    const turnId = `${this.#name}.${this.#calls}`;
    const trace = new ModelCallTrace({ events: this.#events, turnId, request, info, isCompacted: false });
    return {
      turnId,
      ended(end) {
        trace.ended(end);
        trace.finish();
      },
    };
  }

  retrying(turnId: string, fault: ModelEnd['fault'], retry: Retry): void {
    tellRetry(this.#events, turnId, fault, retry);
  }

  recorded(state: Conversation, { usage }: Compaction): void {
    this.#end(messagesIn(state, this.#conv), { isError: false, ...(usage && { usage }) });
  }

  failed(error: unknown): void {
    this.#end(this.#before, {
      isError: true,
      error: this.#events.eventError(error),
      errorInfo: this.#events.errorInfo(error),
    });
  }

  #end(messagesAfter: number, rest: End): void {
    this.#events.emit({
      type: 'compaction',
      messagesBefore: this.#before,
      messagesAfter,
      durationMs: Math.max(0, Math.round(this.#events.now() - this.#started)),
      ...rest,
    });
  }
}

type End = Pick<Extract<EventBody, { type: 'compaction' }>, 'isError' | 'error' | 'errorInfo' | 'usage'>;

function messagesIn(state: Conversation, conv: number): number {
  const { entries, summary } = windowOf(state, conv);
  return entries.length + (summary ? 1 : 0);
}
