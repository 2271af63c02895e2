import type { AssistantMessage, CallSettled } from '../../conversation/records/index.ts';
import type { CallPart } from '../../ports/model-shapes.ts';
import type { ToolDefinition } from '../tools/tool-definition.ts';
import type { LlmMessage, ObservationDetails } from './event.ts';
import type { Events } from './events.ts';
import { outputOf } from './model-call-trace.ts';

interface Started {
  readonly description: string | undefined;
  error: unknown;
}

interface Settled {
  readonly record: CallSettled;
  readonly recordId: string;
  readonly message: LlmMessage;
}

/** The calls of one message, told together once the last of them has an outcome (EVT-05). */
export class ToolBatchTrace {
  readonly #events: Events;
  readonly #turnId: string;
  readonly #message: AssistantMessage;
  readonly #calls: readonly CallPart[];
  readonly #started = new Map<string, Started>();
  readonly #settled = new Map<string, Settled>();

  constructor(events: Events, turnId: string, message: AssistantMessage) {
    this.#events = events.within({ turnId });
    this.#turnId = turnId;
    this.#message = message;
    this.#calls = message.content.filter((part): part is CallPart => part.type === 'call');
  }

  /** Without a tool, nothing of that name is mounted. */
  started(call: CallPart, tool: ToolDefinition | undefined): void {
    this.#started.set(call.id, { description: tool?.description, error: undefined });
    this.#events.emit({
      type: 'tool_start',
      toolName: call.tool,
      toolCallId: call.id,
      origin: 'model',
      args: argumentsOf(call),
      ...(tool && { description: tool.description }),
    });
  }

  /** What a call failed with, before it is recorded as a text. */
  failed({ id }: CallPart, error: unknown): void {
    const started = this.#started.get(id);
    if (started) started.error = error;
  }

  /** What a former owner recorded, and told of when it did. */
  knows(record: CallSettled, recordId: string, message: LlmMessage): void {
    this.#settled.set(record.call, { record, recordId, message });
  }

  /** Returns whether that was the last one. */
  settled(record: CallSettled, recordId: string, message: LlmMessage): boolean {
    const at = this.#events.within({ turnId: this.#turnId });
    at.emit({ type: 'message_start', message, turnId: this.#turnId });
    at.emit({ type: 'message_end', message, turnId: this.#turnId, recordId });
    this.knows(record, recordId, message);
    if (this.#settled.size < this.#calls.length) return false;
    for (const call of this.#calls) this.#tool(this.#settled.get(call.id));
    const toolResults = this.#calls.flatMap(({ id }) => this.#settled.get(id)?.message ?? []);
    this.#events.emit({
      type: 'turn_messages',
      turnId: this.#turnId,
      purpose: 'agent',
      message: outputOf(this.#message),
      toolResults,
    });
    return true;
  }

  #tool(settled: Settled | undefined): void {
    if (!settled || settled.record.interrupted) return;
    const { record, recordId } = settled;
    const isError = record.status === 'error';
    const result = record.output ?? record.content;
    this.#events.emit({
      type: 'tool',
      toolName: record.tool,
      toolCallId: record.call,
      isError,
      ...(result !== undefined && { result }),
      durationMs: record.durationMs ?? 0,
      recordId,
      origin: 'model',
      ...this.#details(record, isError),
    });
  }

  #details(record: CallSettled, isError: boolean): ObservationDetails {
    const { description, error } = this.#started.get(record.call) ?? {};
    const about = description === undefined ? {} : { description };
    if (!isError) return { ...about, effectiveResult: record.output ?? record.content };
    return { ...about, errorInfo: this.#events.errorInfo(error ?? { message: textOf(record) }) };
  }
}

function argumentsOf({ args }: CallPart): unknown {
  try {
    return args.trim() === '' ? {} : JSON.parse(args);
  } catch {
    return args;
  }
}

function textOf({ content = [] }: CallSettled): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
