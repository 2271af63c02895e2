import type { PromptUsage } from '../../ports/model-shapes.ts';
import type { ErrorInfo, EventError, LlmAssistantMessage, LlmMessage, OperationKind } from './event.ts';
import type { Events } from './events.ts';

/** The work of one attempt, from its start to its one end (EVT-05). */
export class OperationTrace {
  readonly operationId: string;
  /** the context that everything within it is told in */
  readonly events: Events;
  readonly #kind: OperationKind;
  readonly #input: string | undefined;
  readonly #started: number;
  readonly #messages: LlmMessage[] = [];
  #text: string | undefined;
  #isCutOff = false;

  constructor(
    events: Events,
    o: {
      readonly operationId: string;
      readonly operationKind: OperationKind;
      readonly input: string | undefined;
    },
  ) {
    const { operationId, operationKind } = o;
    this.operationId = operationId;
    this.events = events.within({ operationId });
    this.#kind = operationKind;
    this.#input = o.input;
    this.#started = events.now();
    this.events.emit({ type: 'operation_start', operationId, operationKind });
    if (operationKind === 'prompt') this.events.emit({ type: 'agent_start' });
  }

  add(message: LlmMessage): void {
    this.#messages.push(message);
  }

  /** The answer is the last message, after what an interruption cut off and it continues (RCD-83). */
  answered(message: LlmAssistantMessage, text: string): void {
    this.add(message);
    this.#text = this.#isCutOff ? `${this.#text}${text}` : text;
    this.#isCutOff = message.stop === 'aborted';
  }

  end(o: {
    readonly isError: boolean;
    readonly error?: EventError;
    readonly errorInfo?: ErrorInfo;
    readonly usage?: PromptUsage;
  }): void {
    const { events, operationId } = this;
    if (this.#kind === 'prompt') events.emit({ type: 'agent_end', messages: this.#messages });
    const text = o.isError ? undefined : this.#text;
    events.emit({
      type: 'operation',
      operationId,
      operationKind: this.#kind,
      durationMs: Math.max(0, Math.round(events.now() - this.#started)),
      ...(text !== undefined && { result: { text }, agentOutput: text }),
      ...(this.#input !== undefined && { agentInput: this.#input }),
      ...o,
    });
    events.emit({ type: 'idle' });
  }
}
