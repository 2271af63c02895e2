import type { AssistantMessage } from '../../conversation/records/index.ts';
import type { ModelEnd, ModelEvent, ModelInfo, ModelRequest } from '../../ports/model-gateway.ts';
import type { ErrorInfo, LlmAssistantMessage, ModelResponse } from './event.ts';
import type { Events } from './events.ts';
import { requestInfo, wholeRequest } from './model-request.ts';

/** One model call, told as it happens, and once more as a whole when its message is recorded (EVT-11). */
export class ModelCallTrace {
  readonly turnId: string;
  readonly #events: Events;
  readonly #request: ModelRequest;
  readonly #info: ModelInfo;
  readonly #isCompacted: boolean;
  readonly #started: number;
  #end: ModelEnd | undefined;
  #endedAt: number | undefined;
  #thinking: { readonly block: number; text: string } | undefined;
  #hasBegun = false;

  constructor(o: {
    readonly events: Events;
    readonly turnId: string;
    readonly request: ModelRequest;
    readonly info: ModelInfo;
    readonly isCompacted: boolean;
  }) {
    const { turnId, request, info, isCompacted } = o;
    this.turnId = turnId;
    this.#events = o.events.within({ turnId });
    this.#request = request;
    this.#info = info;
    this.#isCompacted = isCompacted;
    this.#started = this.#events.now();
    const { purpose } = request;
    this.#events.emit({ type: 'turn_start', turnId, purpose });
    if (this.#events.wants('turn_request')) {
      const whole = wholeRequest(requestInfo(request, info, { isCompacted }), request);
      this.#events.emit({ type: 'turn_request', turnId, purpose, request: whole });
    }
  }

  /** The same events, told on the way (EVT-06). */
  async *follow(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent, void, undefined> {
    for await (const event of events) {
      if (event.type === 'end') this.ended(event);
      else this.#delta(event);
      yield event;
    }
  }

  ended(end: ModelEnd): void {
    this.#closeThinking();
    // A failure has a message too, which is recorded; a call that was stopped has none unless it had said something.
    if (end.stop !== 'aborted') this.#begin();
    this.#end = end;
    this.#endedAt = this.#events.now();
  }

  /** With the record of its message, if it has come to one. */
  finish(recorded?: { readonly recordId: string; readonly output: LlmAssistantMessage }): void {
    if (!this.#events.wants('turn')) return;
    const end = this.#end;
    const error = this.#error();
    const finishReason = end?.stop ?? 'aborted';
    const response: ModelResponse = {
      ...(end?.responseId !== undefined && { responseId: end.responseId }),
      ...(end?.responseModel !== undefined && { responseModel: end.responseModel }),
      ...(recorded && { output: recorded.output }),
      ...(end && { usage: end.usage }),
      finishReason,
      ...(error && { error }),
    };
    this.#events.emit({
      type: 'turn',
      turnId: this.turnId,
      purpose: this.#request.purpose,
      durationMs: Math.max(0, Math.round((this.#endedAt ?? this.#events.now()) - this.#started)),
      request: requestInfo(this.#request, this.#info, {
        isCompacted: this.#isCompacted,
        level: end?.thinkingLevel,
      }),
      response,
      isError: error !== undefined,
      ...(recorded && { recordId: recorded.recordId }),
    });
  }

  #error(): ErrorInfo | undefined {
    const { fault, cause, stop } = this.#end ?? {};
    if (fault) {
      const { message, reason, status } = fault;
      // What the port was told of comes with its stack; what it found out itself has only a code.
      const known =
        cause === undefined ? { type: reason ?? 'provider', message } : this.#events.errorInfo(cause);
      return { ...known, ...(status !== undefined && { code: String(status) }) };
    }
    return !stop || stop === 'aborted'
      ? { type: 'AbortError', name: 'AbortError', message: 'The model call was stopped.' }
      : undefined;
  }

  #delta(event: Exclude<ModelEvent, ModelEnd>): void {
    this.#begin();
    const { block, delta } = event;
    if (this.#thinking && (event.type !== 'thinking' || this.#thinking.block !== block))
      this.#closeThinking();
    if (event.type === 'text') this.#events.emit({ type: 'text_delta', text: delta });
    else if (event.type === 'thinking') this.#thought(block, delta);
    else {
      const { id: toolCallId, tool: toolName } = event;
      this.#events.emit({ type: 'toolcall_delta', toolCallId, toolName, argumentTextDelta: delta });
    }
  }

  #thought(block: number, delta: string): void {
    if (!this.#thinking) {
      this.#thinking = { block, text: '' };
      this.#events.emit({ type: 'thinking_start', contentIndex: block });
    }
    this.#thinking.text += delta;
    this.#events.emit({ type: 'thinking_delta', contentIndex: block, delta });
  }

  #closeThinking(): void {
    if (!this.#thinking) return;
    const { block, text } = this.#thinking;
    this.#thinking = undefined;
    this.#events.emit({ type: 'thinking_end', contentIndex: block, content: text });
  }

  #begin(): void {
    if (this.#hasBegun || this.#request.purpose !== 'agent') return;
    this.#hasBegun = true;
    const { provider, id, api } = this.#info;
    const message: LlmAssistantMessage = {
      role: 'assistant',
      model: { provider, id, api },
      content: [],
      stop: 'stop',
    };
    this.#events.emit({ type: 'message_start', message, turnId: this.turnId });
  }
}

/** The recorded message as observers see it. */
export function outputOf({ model, content, stop }: AssistantMessage): LlmAssistantMessage {
  return { role: 'assistant', model, content, stop };
}
