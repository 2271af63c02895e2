import { bodyOf } from '../../conversation/fold/calls.ts';
import { findPending } from '../../conversation/fold/lookups.ts';
import { answerText, nextTurn, windowOf } from '../../conversation/fold/queries.ts';
import {
  type AssistantEntry,
  type Conversation,
  ROOT,
  type ToolBatch,
} from '../../conversation/fold/state.ts';
import {
  type AssistantMessage,
  type CallSettled,
  type Compaction,
  type ConversationRecord,
  conversationId,
  recordId,
  type Signal,
  type SubmissionSettled,
  turnId,
  type UserMessage,
} from '../../conversation/records/index.ts';
import type { ModelEvent, ModelInfo, ModelRequest } from '../../ports/model-gateway.ts';
import type { CallPart, PromptUsage } from '../../ports/model-shapes.ts';
import type { LogLine } from '../logger.ts';
import { toModelMessage } from '../model-context.ts';
import type { ToolDefinition } from '../tools/tool-definition.ts';
import { CompactionTrace, type SummaryTrace, untoldSummary } from './compaction-trace.ts';
import { ConversationEvents } from './conversation-events.ts';
import type { LlmMessage, RecoveryOperation } from './event.ts';
import type { Events } from './events.ts';
import { ModelCallTrace, outputOf } from './model-call-trace.ts';
import { isObserved } from './observe.ts';
import { OperationTrace } from './operation-trace.ts';
import { type Retry, tellRetry } from './retry.ts';
import { IMAGE_DATA_OMITTED } from './scrub.ts';
import { traceTask } from './task-trace.ts';
import { ToolBatchTrace } from './tool-batch-trace.ts';

/**
 * What one attempt tells its observers.
 *
 * T1  Without an observer every method ends at its first line, and nothing of what happened is kept.
 * T2  What became durable is told of when it did, from the records themselves (`committed`), so that a settlement is told
 *     once on every path (EVT-03) and what was never recorded is no fact. The rest is told where it happens.
 * T3  Nothing here fails the work (SUB-08).
 */
export class Trace {
  readonly #events: Events;
  readonly #places: ConversationEvents;
  readonly #calls = new Map<number, ModelCallTrace>();
  readonly #batches = new Map<number, ToolBatchTrace>();
  readonly #causes = new Map<string, unknown>();
  /** deliveries that the model had in its context before this attempt */
  #placed = new Set<string>();
  readonly #operations = new Map<number, OperationTrace>();
  readonly #prompts = new Map<number, { readonly operationId: string; readonly input: string }>();
  readonly #compacting = new Map<number, CompactionTrace>();
  #compactions = 0;

  constructor(events: Events) {
    this.#events = events;
    this.#places = new ConversationEvents(events);
  }

  get log(): (line: LogLine) => void {
    return this.#events.log;
  }

  /** The attempt begins to answer, or to compact. */
  started(
    state: Conversation,
    attempt: {
      readonly submissionId: string;
      readonly kind: 'dispatch' | 'direct' | 'compact';
      readonly attemptCount: number;
      readonly maxAttempts: number;
    },
  ): void {
    if (!isObserved()) return;
    const { submissionId, kind, ...counts } = attempt;
    if (kind !== 'compact') {
      this.#events.emit({ type: 'submission_running', submissionId, kind, ...counts });
    }
    for (const pending of state.queue.pending) if (pending.placed) this.#placed.add(pending.submissionId);
    const message = findPending(state, submissionId)?.held.record;
    const input = message?.type === 'user_message' || message?.type === 'signal' ? message.body : undefined;
    this.#begin(state, {
      conv: ROOT,
      operationId: `op_${submissionId}.${attempt.attemptCount}`,
      operationKind: kind === 'compact' ? 'compact' : 'prompt',
      input,
    });
    for (const batch of state.toolBatches.values()) this.#resume(state, batch);
  }

  #begin(
    state: Conversation,
    { conv, ...operation }: ConstructorParameters<typeof OperationTrace>[1] & { readonly conv: number },
  ): OperationTrace {
    const trace = new OperationTrace(this.#places.of(state, conv), operation);
    this.#operations.set(conv, trace);
    this.#places.enter(conv, trace.events);
    return trace;
  }

  /** The next prompt of that conversation begins an operation, which is told of before it is. */
  expectPrompt(conv: number, operationId: string, input: string): void {
    if (isObserved()) this.#prompts.set(conv, { operationId, input });
  }

  /** An operation of a harness, from its start to its one end (EVT-05). */
  async operation<T>(
    state: Conversation,
    o: {
      readonly conv: number;
      readonly operationId: string;
      readonly operationKind: 'prompt' | 'compact';
      readonly usage?: () => PromptUsage;
    },
    work: () => Promise<T>,
  ): Promise<T> {
    if (!isObserved()) return work();
    const { usage, conv, operationId, operationKind } = o;
    if (!this.#operations.has(conv))
      this.#begin(state, { conv, operationId, operationKind, input: undefined });
    const spent = () => usage && { usage: usage() };
    try {
      const value = await work();
      this.#finish(conv, { isError: false, ...spent() });
      return value;
    } catch (error) {
      const failure = { error: this.#events.eventError(error), errorInfo: this.#events.errorInfo(error) };
      this.#finish(conv, { isError: true, ...failure, ...spent() });
      throw error;
    }
  }

  #beginPrompt(state: Conversation, conv: number): void {
    const prompt = this.#prompts.get(conv);
    if (!prompt) return;
    this.#prompts.delete(conv);
    this.#begin(state, { conv, operationKind: 'prompt', ...prompt });
  }

  /** At most once: whoever ends the attempt has ended what ran in it. */
  #finish(conv: number, end: Parameters<OperationTrace['end']>[0]): void {
    const call = this.#calls.get(conv);
    call?.finish();
    this.#calls.delete(conv);
    this.#operations.get(conv)?.end(end);
    this.#operations.delete(conv);
    this.#places.enter(conv, undefined);
  }

  /** Where the log lines of a conversation go. */
  logOf(state: Conversation, conv: number): (line: LogLine) => void {
    return (line) => this.#places.of(state, conv).log(line);
  }

  /** A former owner's batch commits here, so its tools are told of here (EVT-05). */
  #resume(state: Conversation, { conv, turn, message, calls }: ToolBatch): void {
    if (!message.record) return;
    const turnOf = turnIdOf(state, conv, message.record.submissionId, turn);
    const batch = new ToolBatchTrace(this.#places.of(state, conv), turnOf, message.record);
    for (const { outcome } of calls) {
      if (!outcome?.record) continue;
      const result = toModelMessage({ kind: 'result', record: outcome.record }, withoutBytes);
      batch.knows(outcome.record, recordId(outcome.batch, outcome.index), result);
    }
    this.#batches.set(conv, batch);
  }

  /** A model call of a conversation; the same events, told on the way. */
  modelCall(
    call: {
      readonly state: Conversation;
      readonly conv: number;
      readonly host: string;
      readonly info: ModelInfo;
    },
    request: ModelRequest,
    events: AsyncIterable<ModelEvent>,
  ): AsyncIterable<ModelEvent> {
    if (!isObserved()) return events;
    const { state, conv, info } = call;
    const trace = new ModelCallTrace({
      events: this.#places.of(state, conv),
      turnId: turnIdOf(state, conv, call.host, nextTurn(state, conv)),
      request,
      info,
      isCompacted: windowOf(state, conv).summary !== undefined,
    });
    this.#calls.set(conv, trace);
    return trace.follow(events);
  }

  toolStarted(conv: number, call: CallPart, tool: ToolDefinition | undefined): void {
    if (isObserved()) this.#batches.get(conv)?.started(call, tool);
  }

  toolFailed(conv: number, call: CallPart, error: unknown): void {
    if (isObserved()) this.#batches.get(conv)?.failed(call, error);
  }

  /** The last call of a conversation failed and is tried again. */
  retrying(
    { state, conv, host }: { readonly state: Conversation; readonly conv: number; readonly host: string },
    retry: Retry,
  ): void {
    const failed = lastFailure(state, conv);
    const turn = turnIdOf(state, conv, host, failed?.turn ?? windowOf(state, conv).turn);
    tellRetry(this.#places.of(state, conv), turn, failed && bodyOf(failed.held).fault, retry);
  }

  /** A conversation is being compacted; what comes of it is told from its record, or by `compactionFailed`. */
  compactionStarted(
    state: Conversation,
    conv: number,
    start: { readonly reason: Compaction['reason']; readonly estimatedTokens: number },
  ): SummaryTrace {
    const events = this.#places.of(state, conv);
    if (!isObserved()) return untoldSummary(events);
    this.#compactions += 1;
    const name = `${this.#operations.get(ROOT)?.operationId ?? 'op'}.compaction${this.#compactions}`;
    const trace = new CompactionTrace(events, state, conv, name, start);
    this.#compacting.set(conv, trace);
    return trace;
  }

  /** The agent works in another environment from this turn on. */
  environmentChanged(
    state: Conversation,
    change: { readonly cwd: string; readonly attached: boolean; readonly tools: readonly string[] },
  ): void {
    if (isObserved()) this.#places.of(state, ROOT).emit({ type: 'environment_changed', ...change });
  }

  compactionFailed(conv: number, error: unknown): void {
    this.#compacting.get(conv)?.failed(error);
    this.#compacting.delete(conv);
  }

  task(
    state: Conversation,
    {
      conv,
      ...task
    }: { readonly conv: number; readonly call: string; readonly agent: string; readonly prompt: string },
    work: () => Promise<string>,
  ): Promise<string> {
    if (!isObserved()) return work();
    const taskId = conversationId(state.incarnation, conv);
    return traceTask(this.#places.of(state, conv), { taskId, ...task }, work);
  }

  /** What a settlement that is about to be recorded comes from: the record holds less of it (OBS-01). */
  failed(submissionId: string, cause: unknown): void {
    if (isObserved()) this.#causes.set(submissionId, cause);
  }

  recovered(
    operation: RecoveryOperation,
    o: {
      readonly submissionId: string;
      readonly kind: 'dispatch' | 'direct' | 'compact';
      readonly attemptCount: number;
      readonly maxAttempts: number;
    },
    outcome: 'agent_unavailable' | 'terminated',
    error: unknown,
  ): void {
    if (!this.#events.wants('submission_recovery')) return;
    const { kind, ...rest } = o;
    this.#events.emit({
      type: 'submission_recovery',
      operation,
      outcome,
      ...rest,
      ...(kind !== 'compact' && { kind }),
      error: this.#events.eventError(error),
      errorInfo: this.#events.errorInfo(error),
    });
  }

  /** Records of this attempt became durable, in the batch of that number. */
  committed(records: readonly ConversationRecord[], batch: number, state: Conversation): void {
    if (!isObserved()) return;
    try {
      for (const [index, record] of records.entries()) this.#tell(record, recordId(batch, index), state);
    } catch (error) {
      this.#notTold(error);
    }
  }

  #tell(record: ConversationRecord, id: string, state: Conversation): void {
    switch (record.type) {
      case 'submission_moved':
        if (record.to !== 'queued') this.#placedNow(state, record.submissionId);
        break;
      case 'user_message':
      case 'signal':
        // A delivery is told of once the model has it in its context.
        if (record.acceptedAt === undefined) {
          const conv = record.type === 'user_message' ? (record.conv ?? ROOT) : ROOT;
          this.#beginPrompt(state, conv);
          this.#message(this.#places.of(state, conv), conv, record, id);
        }
        break;
      case 'assistant_message':
        this.#answer(state, record, id);
        break;
      case 'call_settled':
        this.#result(state, record, id);
        break;
      case 'compaction':
        this.#compacting.get(record.conv ?? ROOT)?.recorded(state, record);
        this.#compacting.delete(record.conv ?? ROOT);
        break;
      case 'submission_settled':
        this.settled(record);
    }
  }

  #placedNow(state: Conversation, submissionId: string): void {
    if (this.#placed.has(submissionId)) return;
    this.#placed.add(submissionId);
    const held = findPending(state, submissionId)?.held;
    const record = held?.record;
    if (record?.type !== 'user_message' && record?.type !== 'signal') return;
    const events = this.#places.of(state, ROOT).within({ submissionId });
    this.#message(events, ROOT, record, recordId(held!.batch, held!.index));
  }

  #message(events: Events, conv: number, record: UserMessage | Signal, id: string): void {
    const message = toModelMessage({ kind: 'message', record }, withoutBytes);
    events.emit({ type: 'message_start', message });
    events.emit({ type: 'message_end', message, recordId: id });
    this.#operations.get(conv)?.add(message);
  }

  #answer(state: Conversation, record: AssistantMessage, id: string): void {
    const conv = record.conv ?? ROOT;
    const output = outputOf(record);
    const turn = turnIdOf(state, conv, record.submissionId, record.turn);
    const events = this.#places.of(state, conv);
    const at = events.within({ turnId: turn });
    this.#calls.get(conv)?.finish({ recordId: id, output });
    this.#calls.delete(conv);
    at.emit({ type: 'message_end', message: output, turnId: turn, recordId: id });
    this.#operations.get(conv)?.answered(output, answerText(record));
    if (record.content.some((part) => part.type === 'call')) {
      this.#batches.set(conv, new ToolBatchTrace(events, turn, record));
    } else {
      at.emit({ type: 'turn_messages', turnId: turn, purpose: 'agent', message: output, toolResults: [] });
    }
  }

  #result(state: Conversation, record: CallSettled, id: string): void {
    const conv = record.conv ?? ROOT;
    const message = toModelMessage({ kind: 'result', record }, withoutBytes);
    this.#operations.get(conv)?.add(message);
    const batch = this.#batches.get(conv);
    if (!batch) {
      // Nobody observed when its calls began.
      const events = this.#places.of(state, conv);
      events.emit({ type: 'message_end', message, recordId: id });
      return;
    }
    if (batch.settled(record, id, message)) this.#batches.delete(conv);
  }

  /** A settlement became durable, of the response or of one that waited behind it. */
  settled({ submissionId, answeredBySubmissionId, outcome, error, usage }: SubmissionSettled): void {
    if (!isObserved()) return;
    const host = answeredBySubmissionId ?? submissionId;
    const cause = this.#causes.get(host) ?? this.#causes.get(submissionId) ?? error;
    const failure = error && { error, errorInfo: this.#events.errorInfo(cause) };
    if (host === this.#events.place.submissionId) {
      this.#close({ isError: outcome !== 'completed', ...failure, ...(usage && { usage }) });
    }
    this.#events
      .within({ submissionId })
      .emit({ type: 'submission_settled', submissionId, outcome, ...failure });
  }

  /** The attempt is over: what is still open ends with it (EVT-05). */
  ended(reason?: unknown): void {
    if (!isObserved() && this.#operations.size === 0 && this.#compacting.size === 0) return;
    const why = reason ?? new DOMException('The work was given back.', 'AbortError');
    this.#close(
      { isError: true, error: this.#events.eventError(why), errorInfo: this.#events.errorInfo(why) },
      why,
    );
  }

  #close(end: Parameters<OperationTrace['end']>[0], reason: unknown = end.errorInfo): void {
    for (const conv of this.#compacting.keys()) this.compactionFailed(conv, reason);
    for (const call of this.#calls.values()) call.finish();
    this.#calls.clear();
    this.#batches.clear();
    // The innermost first.
    for (const conv of [...this.#operations.keys()].reverse()) {
      this.#finish(conv, conv === ROOT ? end : { ...end, isError: true });
    }
  }

  #notTold(error: unknown): void {
    const { name = 'Error', message = '' } = this.#events.errorInfo(error);
    this.#events.log({
      level: 'error',
      message: '[flue:observe] Events of a commit could not be told.',
      attributes: { error: { name, message } },
    });
  }
}

function turnIdOf(state: Conversation, conv: number, host: string, turn: number): string {
  return turnId(turn, conv === ROOT ? { host } : { incarnation: state.incarnation, conv });
}

function lastFailure(state: Conversation, conv: number): AssistantEntry | undefined {
  return windowOf(state, conv).entries.findLast(
    (entry): entry is AssistantEntry => entry.kind === 'assistant' && entry.fault !== undefined,
  );
}

function withoutBytes({
  mimeType,
}: {
  readonly mimeType: string;
}): Extract<Exclude<LlmMessage, { role: 'assistant' }>['content'][number], { type: 'image' }>[] {
  return [{ type: 'image', mimeType, data: IMAGE_DATA_OMITTED }];
}
