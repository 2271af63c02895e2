import { hash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { LIMITS } from '../../contract/limits.ts';
import { interruptedCalls } from '../../conversation/fold/converge.ts';
import { ROOT } from '../../conversation/fold/state.ts';
import { depth, isWithin } from '../../conversation/fold/tree.ts';
import { conversationId, type NewRecord } from '../../conversation/records/index.ts';
import { FlueError } from '../../errors/flue-error.ts';
import type { AttachmentPut, AttachmentRef } from '../../ports/store.ts';
import { type Course, childConversation, goOn, takeTurns } from '../child-turns.ts';
import { compactNow } from '../compaction/compact-conversation.ts';
import { resolveCompaction } from '../compaction/resolve-compaction.ts';
import { OperationFailedError, type OperationFailure } from '../errors.ts';
import type { ModelChoice } from '../hooks/frame.ts';
import type { RenderedFrame } from '../render.ts';
import { DelegationDepthExceededError } from '../subagents/errors.ts';
import { composePrompt } from '../system-prompt.ts';
import { CallUnresolved } from '../tools/run-call.ts';
import type { FlueHarness, PromptImage } from '../tools/tool-definition.ts';
import type { ConversationScope } from '../turn-scope.ts';
import { inConversation } from '../write-records.ts';
import { abortError, type CallHandle, startCall } from './call-handle.ts';
import { HarnessClosedError, ResultUnavailableError, SessionBusyError } from './errors.ts';
import type { HarnessFrame, HarnessOwner, HeldHarness } from './held-harness.ts';
import { meterUsage } from './metered-sink.ts';
import { type PromptRequest, parsePrompt, signalOf } from './prompt-request.ts';
import { type PromptResponse, type PromptResultResponse, promptModel } from './prompt-response.ts';
import { type ResultCourse, resultCourse } from './result-course.ts';

/**
 * A harness: operations in a conversation of its own, below the call or the hook that it was made for.
 *
 * S1  Nothing is recorded before a prompt can start: its options, the depth, the model and the tools come first
 *     (HARN-07, HARN-08, DEPTH-03).
 * S2  One operation at a time, and none outlives the owner (HARN-03, HARN-06).
 * S3  However an operation ends, its conversation is quiet afterwards, so that the next one or the owner's settlement can
 *     follow (CALL-05, RCD-61). Only an attempt that ends leaves that to its settlement, or to recovery.
 * S4  The conversation is never resumed: an execution after an interruption opens another one (HARN-11).
 */

export interface HarnessOrigin {
  /** the conversation whose call or hook it is made for */
  readonly parent: ConversationScope;
  readonly owner: HarnessOwner;
  /** what the agent declared in the render that the call belongs to (HARN-05) */
  readonly frame: RenderedFrame;
  /** makes a render ready for a model call */
  readonly equip: (scope: ConversationScope, frame: RenderedFrame) => HarnessFrame;
}

export function openHarness(origin: HarnessOrigin): HeldHarness {
  const scratch = new Scratch(origin);
  const harness = {
    name: 'hook' in origin.owner ? origin.owner.hook : 'default',
    prompt: (text: unknown, options?: unknown) => scratch.prompt(text, options),
    compact: () => scratch.compact(),
    get sandbox() {
      scratch.assertOpen('sandbox');
      return origin.parent.workspace.env;
    },
  };
  return { harness: Object.freeze(harness) as FlueHarness, close: () => scratch.close() };
}

type Answer = PromptResponse | PromptResultResponse<unknown>;

interface Running {
  readonly abort: (reason: unknown) => void;
  readonly ended: Promise<unknown>;
}

/** The conversation of one harness. */
class Scratch {
  readonly #origin: HarnessOrigin;
  #conv: number | undefined;
  /** composed at the first prompt, and kept (NARR-03) */
  #systemPrompt: string | undefined;
  /** images of its prompts by id, as base64 */
  readonly #images = new Map<string, string>();
  #running: Running | undefined;
  #operations = 0;
  #isClosed = false;

  constructor(origin: HarnessOrigin) {
    this.#origin = origin;
  }

  prompt(text: unknown, options: unknown): CallHandle<Answer> {
    return this.#start('prompt', options, (signal) => {
      const { frame } = this.#origin;
      const mounted = frame.tools.map((tool) => tool.name);
      return this.#answer(parsePrompt(text, options, mounted), signal);
    });
  }

  compact(): Promise<void> {
    return this.#start('compact', undefined, async (signal) => {
      const conv = this.#conv;
      if (conv === undefined) return;
      const { scope, frame } = this.#within(conv, signal, this.#models());
      await this.#traced(conv, 'compact', {}, () => compactNow(childConversation(scope, frame)));
    });
  }

  assertOpen(member: keyof FlueHarness): void {
    if (!this.#isClosed) return;
    const { owner } = this.#origin;
    throw new HarnessClosedError({
      member,
      owner: 'hook' in owner ? `${owner.hook}() callback` : 'tool call',
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const running = this.#running;
    if (!running) return;
    running.abort('Its harness was closed.');
    await endedOrAborted(running.ended, this.#origin.parent.signal);
  }

  #start<T>(
    member: 'prompt' | 'compact',
    options: unknown,
    work: (signal: AbortSignal) => Promise<T>,
  ): CallHandle<T> {
    const operate = (signal: AbortSignal): Promise<T> => {
      this.assertOpen(member);
      if (this.#running) throw new SessionBusyError();
      const ended = this.#quietAfter(work(signal));
      const running: Running = { abort: (reason) => handle.abort(reason), ended };
      this.#running = running;
      return ended.finally(() => {
        if (this.#running === running) this.#running = undefined;
      });
    };
    const handle = startCall(operate, signalOf(options));
    return handle;
  }

  /** S3. */
  async #quietAfter<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw this.#failureOf(error);
    } finally {
      await this.#closeCalls();
    }
  }

  /** What a prompt or a compaction is told of an error, whose signal the caller did not use (CALL-02, HARN-10). */
  #failureOf(error: unknown): unknown {
    const { signal } = this.#origin.parent;
    if (signal.aborted) return abortError(signal.reason);
    if (error instanceof CallUnresolved)
      return abortError('The response that it belongs to goes on no further.');
    return asPromptFailure(error);
  }

  async #closeCalls(): Promise<void> {
    const { sink, signal } = this.#origin.parent;
    const conv = this.#conv;
    if (conv === undefined || signal.aborted) return;
    const isOpen = [...sink.state.toolBatches.keys()].some((open) => isWithin(sink.state, open, conv));
    if (!isOpen) return;
    await sink.write((batch) =>
      batch.add(interruptedCalls(sink.state, (open) => isWithin(sink.state, open, conv))),
    );
  }

  async #answer(request: PromptRequest, signal: AbortSignal): Promise<Answer> {
    const { parent, frame } = this.#origin;
    if (this.#conv === undefined && depth(parent.sink.state, parent.conv) >= LIMITS.delegationDepth) {
      throw new DelegationDepthExceededError();
    }
    const models = await this.#modelsOf(request);
    const result = request.result && resultCourse(request.result);
    const tools = [...frame.tools, ...request.tools, ...(result?.tools ?? [])];
    // The conversation that calls stands in for the one that is not there yet: what clashes, clashes in both.
    const equipped = this.#origin.equip(parent, { ...frame, tools });
    this.#systemPrompt ??= composePrompt({
      ...equipped,
      workspace: parent.workspace,
      now: parent.clock.now(),
    });
    for (const one of [parent.signal, signal]) goOn({ signal: one });
    const conv = await this.#ask(request);
    const meter = meterUsage(parent.sink);
    const own = this.#within(conv, signal, models, { tools, sink: meter.sink });
    const model = promptModel(models.model.choice.specifier);
    let text = '';
    const course = this.#course(own.scope, result, (said) => {
      text = said;
    });
    return this.#traced(conv, 'prompt', { usage: meter.usage }, async () => {
      await takeTurns(own.scope, own.frame, course);
      const usage = meter.usage();
      const end = result?.end();
      if (!end) return { text, usage, model };
      if (end.kind === 'data') return { data: end.data, usage, model };
      const { reason, issues } = end;
      throw new ResultUnavailableError({ reason, assistantText: text, usage, model, issues });
    });
  }

  #course(scope: ConversationScope, result: ResultCourse | undefined, said: (text: string) => void): Course {
    const { parent } = this.#origin;
    return {
      said,
      isDone: (outcomes) => result?.isDone(outcomes) ?? false,
      goOnWith: () => result?.goOnWith(),
      async cutOff(message) {
        // An attempt that ends writes nothing more than its end.
        if (!parent.signal.aborted) await scope.sink.write((batch) => batch.add([message]));
      },
    };
  }

  /** What the agent goes by itself, save what the prompt says (HARN-07, THINK-02, SPEC-03). */
  async #modelsOf({ model, thinkingLevel }: PromptRequest): Promise<Models> {
    const models = this.#models();
    const { parent } = this.#origin;
    const choice: ModelChoice = {
      ...models.model.choice,
      ...(model !== undefined && { specifier: model }),
      ...(thinkingLevel !== undefined && { thinkingLevel }),
    };
    if (model === undefined) return { ...models, model: { ...models.model, choice } };
    const info = await parent.gateway.resolve(model);
    return { model: { choice, info }, compaction: await resolveCompaction(parent.gateway, choice, info) };
  }

  #models(): Models {
    const { model, compaction } = this.#origin.parent;
    return { model, compaction };
  }

  /** Records the prompt, and with the first one the conversation. */
  async #ask({ text, images }: PromptRequest): Promise<number> {
    const { parent, owner } = this.#origin;
    const { state } = parent.sink;
    let conv = this.#conv ?? ROOT;
    await parent.sink.write((batch) => {
      conv = this.#conv ?? state.conversations.opened + 1;
      const puts = images.map((image) => imagePut(conversationId(state.incarnation, conv), image));
      const opened: NewRecord[] =
        this.#conv === undefined
          ? [
              {
                type: 'conversation_opened',
                submissionId: parent.host,
                conv,
                kind: 'harness',
                ...(parent.conv !== ROOT && { parent: parent.conv }),
                ...owner,
              },
            ]
          : [];
      batch.add([
        ...opened,
        {
          type: 'user_message',
          submissionId: parent.host,
          ...inConversation(conv),
          body: text,
          ...(puts.length > 0 && { attachments: puts.map(refOf) }),
        },
      ]);
      batch.attach(puts);
      parent.trace.expectPrompt(conv, this.#operationId(conv), text);
      for (const [index, { id }] of puts.entries()) this.#images.set(id, images[index]!.data);
    });
    this.#conv = conv;
    return conv;
  }

  /** The conversation as its turns see it. */
  #within(
    conv: number,
    ownSignal: AbortSignal,
    models: Models,
    o: { readonly tools?: RenderedFrame['tools']; readonly sink?: ConversationScope['sink'] } = {},
  ): { readonly scope: ConversationScope; readonly frame: HarnessFrame } {
    const { parent, frame, equip } = this.#origin;
    const signal = AbortSignal.any([parent.signal, ownSignal]);
    // Every call of a tool batch listens, and what tools start with it.
    setMaxListeners(0, signal);
    const log = parent.trace.logOf(parent.sink.state, conv);
    const scope: ConversationScope = {
      ...parent,
      ...models,
      conv,
      ...(o.sink && { sink: o.sink }),
      ...(this.#systemPrompt !== undefined && { prompt: this.#systemPrompt }),
      signal,
      attachment: (ref) => this.#images.get(ref.id) ?? parent.attachment(ref),
      emitLog: log,
      // A scratch conversation has no readers (STRM-09).
      emitProgress: log,
    };
    return { scope, frame: equip(scope, o.tools ? { ...frame, tools: o.tools } : frame) };
  }

  #traced<T>(
    conv: number,
    operationKind: 'prompt' | 'compact',
    o: { readonly usage?: () => PromptResponse['usage'] },
    work: () => Promise<T>,
  ): Promise<T> {
    const { trace, sink } = this.#origin.parent;
    const operationId = this.#operationId(conv);
    this.#operations += 1;
    return trace.operation(sink.state, { conv, operationId, operationKind, ...o }, work);
  }

  /** Of the operation that comes next. */
  #operationId(conv: number): string {
    return `op_${conversationId(this.#origin.parent.sink.state.incarnation, conv)}.${this.#operations + 1}`;
  }
}

type Models = Pick<ConversationScope, 'model' | 'compaction'>;

/** HARN-10: what fails a turn fails the prompt that it belongs to. */
function asPromptFailure(error: unknown): unknown {
  if (!FlueError.is(error, 'operation_failed') || error.meta?.operation !== 'turn') return error;
  const failure = error.meta as unknown as OperationFailure;
  return new OperationFailedError(
    { ...failure, operation: 'prompt' },
    { cause: error.cause ?? error, ...(error.dev !== '' && { dev: error.dev }) },
  );
}

/** RCD-03. */
function imagePut(conversation: string, { data, mimeType }: PromptImage): AttachmentPut {
  const bytes = Buffer.from(data, 'base64');
  const named = hash('sha256', Buffer.concat([Buffer.from(`${conversation}\n${mimeType}\n`), bytes]));
  return {
    id: `att_${named.slice(0, 32)}`,
    mimeType,
    size: bytes.byteLength,
    digest: hash('sha256', bytes),
    bytes,
    conversationId: conversation,
  };
}

function refOf({ bytes: _, conversationId: _conversation, ...ref }: AttachmentPut): AttachmentRef {
  return ref;
}

/** Once the attempt has to end, nobody waits for what does not listen (TBR-06). */
async function endedOrAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const ended = work.then(
    () => {},
    () => {},
  );
  if (signal.aborted) return;
  let stopListening = () => {};
  const aborted = new Promise<void>((resolve) => {
    const listen = () => resolve();
    signal.addEventListener('abort', listen, { once: true });
    stopListening = () => signal.removeEventListener('abort', listen);
  });
  await Promise.race([ended, aborted]);
  stopListening();
}
