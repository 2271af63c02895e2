import { type ExecutionSettings, LIMITS } from '../contract/limits.ts';
import type { DeliveredMessage, DeliveredMessageInput } from '../conversation/delivered-message.ts';
import { REPEATED_FAILURE } from '../conversation/fold/calls.ts';
import { callsBelow } from '../conversation/fold/converge.ts';
import {
  failuresInARow,
  initialData,
  isCallIdTaken,
  nextPart,
  nextTurn,
  recordedWrites,
} from '../conversation/fold/queries.ts';
import { ROOT } from '../conversation/fold/state.ts';
import { type AssistantMessage, conversationId, type NewRecord } from '../conversation/records/index.ts';
import { FlueError } from '../errors/flue-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { ModelEnd, ModelGateway, ModelInfo, ModelRequest } from '../ports/model-gateway.ts';
import type { CallPart, Resources, ResultPart } from '../ports/model-shapes.ts';
import { isStoreFailure } from '../ports/store-errors.ts';
import type { Agent } from './agent.ts';
import type { CompactionLimits } from './compaction/limits.ts';
import type { SummaryPorts } from './compaction/summarize.ts';
import type { DataParts } from './data-parts.ts';
import type { DispatchReceipt } from './dispatch-receipt.ts';
import { OperationFailedError } from './errors.ts';
import type { Trace } from './events/trace.ts';
import type { FrameInputs, ModelChoice } from './hooks/frame.ts';
import type { StateBuffer } from './hooks/state-buffer.ts';
import type { LogLine } from './logger.ts';
import type { AttachmentData } from './model-context.ts';
import { type Catalog, type CatalogEntry, digest, narrate, snapshotOf } from './narration.ts';
import { type RenderedFrame, renderFrame } from './render.ts';
import { requestMessages, systemPrompt } from './request.ts';
import { ruleNamedBy } from './rule-named-by.ts';
import type { Environments } from './sandbox/environments.ts';
import type { Workspace } from './sandbox/workspace.ts';
import type { BatchBuilder, Sink } from './sink.ts';
import { stepJournal } from './step-journal.ts';
import { type Draft, streamMessage } from './stream-message.ts';
import { composePrompt } from './system-prompt.ts';
import { type CallOutcome, parseArguments, runToolBatch } from './tool-batch.ts';
import { errorText } from './tools/error-text.ts';
import { modelTool } from './tools/json-schema.ts';
import { parseToolArguments } from './tools/run-call.ts';
import type { ToolDefinition } from './tools/tool-definition.ts';
import { toolDigest } from './tools/tool-digest.ts';
import { inUnit } from './unit.ts';
import { inConversation, writeRecords } from './write-records.ts';

/** What an attempt decides for every conversation that turns are taken in. */
export interface Pace {
  /**
   * Waits until the next turn of a conversation may start; `false` when none may start any more.
   * @param serverWait what the provider asked for after a failure, milliseconds
   */
  next(conv: number, serverWait: number): Promise<boolean>;
  /** Resolves when a step may start; rejects when this process may start nothing any more (OWN-07). */
  mayStart(): Promise<void>;
  /** What a failed model call ends its work with; `undefined` when it is to be tried again. Asked before it is recorded. */
  failure(conv: number, step: Extract<ModelStep, { kind: 'message' }>): FlueError | undefined;
}

/** What the turns of one conversation share. */
export interface ConversationScope {
  readonly sink: Sink;
  /** the agent's, or the delegate's name */
  readonly identity: string;
  readonly path: string;
  readonly conv: number;
  /** of a delegate: the system prompt after its instructions. The root's is its baseline */
  readonly prompt?: string;
  /** the submission whose response this is */
  readonly host: string;
  /** read from the attempt's initialization render, and constant for the attempt (SPEC-10) */
  readonly model: { readonly choice: ModelChoice; readonly info: ModelInfo };
  readonly compaction: { readonly limits: CompactionLimits; readonly model: SummaryPorts['model'] };
  /** where its tools work; the root's follows the agent's declaration */
  readonly workspace: Workspace;
  readonly values: StateBuffer;
  readonly gateway: ModelGateway;
  readonly clock: Clock;
  readonly settings: ExecutionSettings;
  readonly signal: AbortSignal;
  /** bytes of the attachments that the conversation shows, already loaded */
  readonly attachment: AttachmentData;
  readonly loadAttachments: () => Promise<void>;
  readonly emitLog: (line: LogLine) => void;
  readonly trace: Trace;
  readonly pace: Pace;
}

/** What the turns of one attempt share. */
export interface TurnScope extends ConversationScope {
  readonly agent: Agent;
  readonly id: string;
  readonly data: DataParts;
  readonly environments: Environments;
  /** the names that the initialization render declared; every other render declares the same ones (DATA-02) */
  readonly dataParts: readonly string[];
  readonly dispatch: (message: DeliveredMessageInput) => Promise<DispatchReceipt>;
}

/** What a render needs; before the first one it is not known which data parts there are. */
export type RenderScope = Pick<
  TurnScope,
  'agent' | 'identity' | 'id' | 'values' | 'sink' | 'data' | 'dispatch'
> &
  Partial<Pick<TurnScope, 'dataParts'>>;

/** One frame of the agent. A throw of author code becomes the failure that settles the submission (AGENT-12). */
export function render(scope: RenderScope, delivery: DeliveredMessage | undefined): RenderedFrame {
  const { agent, identity, id, values, sink, data, dispatch } = scope;
  const inputs: FrameInputs = {
    initialData: initialData(sink.state),
    delivery,
    readState: (name) => values.read(name),
    writeState: (name, value) => values.write(name, value),
    writeData: (name, value) => data.write(name, value),
    dispatch,
  };
  const frame = rendered(() => renderFrame({ agent, kind: 'root', name: identity, id, inputs }), identity);
  assertSameDataParts(scope.dataParts ?? frame.dataParts, frame.dataParts, identity);
  return frame;
}

function rendered(work: () => RenderedFrame, agent: string): RenderedFrame {
  try {
    return work();
  } catch (error) {
    throw renderFailure(error, agent);
  }
}

/** DATA-02: clients rely on the parts of a response, so a render may not add or remove one. */
function assertSameDataParts(before: readonly string[], now: readonly string[], agent: string): void {
  const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
  const added = now.filter((name) => !before.includes(name));
  const removed = before.filter((name) => !now.includes(name));
  if (added.length + removed.length === 0) return;
  const changes = [
    ...(added.length > 0 ? [`added ${quoted(added)}`] : []),
    ...(removed.length > 0 ? [`removed ${quoted(removed)}`] : []),
  ];
  const reason = `the message data changed between two renders of one response: ${changes.join(', ')}.`;
  const dev =
    'Call useDataWriter() with the same names in every render, and decide in the callbacks what to write.';
  throw new OperationFailedError(
    { operation: 'render', reason, category: 'render', agent, rule: 'FLUE2201' },
    { dev },
  );
}

function renderFailure(error: unknown, agent: string): FlueError {
  // A store's failure that author code kept and throws here is not this attempt's, which would be run again for it.
  if (FlueError.is(error) && !isStoreFailure(error) && !Object.isFrozen(error)) {
    return Object.assign(error, { meta: { ...error.meta, agent } });
  }
  const reason = 'the agent function threw.';
  const dev = errorText(error);
  const rule = ruleNamedBy(error);
  return new OperationFailedError(
    { operation: 'render', reason, category: 'render', agent, ...(rule && { rule }) },
    { cause: error, dev },
  );
}

/** Tells the model what changed since it was last told; the first time, records the baseline silently (NARR-02). */
export function narrateTurn(
  batch: BatchBuilder,
  scope: Pick<TurnScope, 'sink' | 'host' | 'clock' | 'workspace'>,
  frame: RenderedFrame,
): void {
  const { state } = scope.sink;
  if (!state.resources) {
    batch.add([baseline(scope, frame)]);
    return;
  }
  const catalog = catalogOf(frame);
  const snapshot = snapshotOf(catalog, environmentOf(scope.workspace));
  const recorded = { type: 'resources_recorded' as const, submissionId: scope.host, snapshot };
  const signals = narrate(state.resources.last, snapshot, catalog);
  if (signals.length === 0) return;
  batch.add([
    ...signals.map((signal): NewRecord => ({ type: 'signal', submissionId: scope.host, ...signal })),
    recorded,
  ]);
}

/** What the system prompt says besides the instruction document, and what it was composed from (RCD-32, NARR-25). */
export function baseline(
  scope: Pick<TurnScope, 'host' | 'clock' | 'workspace'>,
  frame: RenderedFrame,
): NewRecord {
  return {
    type: 'resources_recorded',
    submissionId: scope.host,
    snapshot: snapshotOf(catalogOf(frame), environmentOf(scope.workspace)),
    prompt: composePrompt({ ...frame, workspace: scope.workspace, now: scope.clock.now() }),
  };
}

function catalogOf(frame: RenderedFrame): Catalog {
  const tools = frame.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    digest: toolDigest(tool),
  }));
  return {
    instructions: frame.instructions,
    skills: frame.skills.map(catalogEntry),
    tools,
    subagents: frame.subagents.map(catalogEntry),
  };
}

/** What counts as an update of a skill or a delegate is its catalog line (NARR-13). */
function catalogEntry({ name, description }: Pick<CatalogEntry, 'name' | 'description'>): CatalogEntry {
  return { name, description, digest: digest(description) };
}

function environmentOf({ attached, env }: Workspace): Resources['environment'] {
  return { attached, cwd: env.cwd };
}

/** A model's message, its parts counted from 0: their places are known when it is recorded (see `recordMessage`). */
export type StreamedMessage = Omit<AssistantMessage, 'v' | 'ts'>;

export type ModelStep =
  | {
      readonly kind: 'message';
      readonly message: StreamedMessage;
      /** what the port told of a failed call besides the recorded fault */
      readonly end: Pick<ModelEnd, 'cause' | 'envVar' | 'retryAfterMs' | 'usage' | 'fault'>;
    }
  /** the signal ended it; what was drafted is closed by the settlement */
  | { readonly kind: 'aborted' };

/**
 * One model call on a frame, streamed into drafts in the root; its message is returned to be recorded with what follows
 * it.
 */
export async function callModel(scope: ConversationScope, frame: RenderedFrame): Promise<ModelStep> {
  const { sink, host, model, signal, clock, conv } = scope;
  const turn = nextTurn(sink.state, conv);
  const tools = new Map(frame.tools.map((tool) => [tool.name, tool]));
  const request: ModelRequest = {
    specifier: model.choice.specifier,
    system: systemPrompt(scope, frame),
    messages: requestMessages(scope, frame).messages,
    tools: frame.tools.map(modelTool),
    thinkingLevel: model.choice.thinkingLevel,
    sessionId: conv === ROOT ? sink.state.incarnation : conversationId(sink.state.incarnation, conv),
    purpose: 'agent',
    agent: scope.identity,
  };
  const told = { state: sink.state, conv, host, info: model.info };
  const call = scope.trace.modelCall(told, request, scope.gateway.stream(request, signal));
  let opened = false;
  const draft = (drafts: readonly Draft[]) => {
    const ref = { provider: model.info.provider, id: model.info.id, api: model.info.api };
    const first = !opened;
    opened = true;
    const delta = (one: Draft, index: number): NewRecord => ({
      type: 'assistant_delta',
      submissionId: host,
      turn,
      ...one,
      part: draftedPart(sink, one.part) ?? nextPart(sink.state),
      ...(first && index === 0 && { model: ref }),
    });
    const record = (batch: BatchBuilder) => {
      for (const [index, one] of drafts.entries()) batch.add([delta(one, index)]);
    };
    // A draft that cannot be written is no loss: the completed message holds the same text.
    sink.write(record, { class: 'draft' }).catch(() => {});
  };
  const { end, content } = await streamMessage(call, {
    clock,
    ...(conv === ROOT && { draft }),
    valid: (tool, args) => isValidCall(tools.get(tool), args),
  });
  if (signal.aborted) return { kind: 'aborted' };
  const message: StreamedMessage = {
    type: 'assistant_message',
    submissionId: host,
    ...inConversation(conv),
    turn,
    model: end.model,
    content: uniqueCallIds(content, sink),
    stop: end.stop,
    usage: end.usage,
    ...(end.fault && { fault: end.fault }),
    ...(end.replay && { replay: end.replay }),
  };
  return { kind: 'message', message, end };
}

/**
 * Records a completed message: what was drafted stays where it was shown, the rest takes the next free places (RCD-58),
 * which a data part may have moved on meanwhile.
 */
export function recordMessage(
  batch: BatchBuilder,
  { sink, data }: TurnScope,
  message: StreamedMessage,
): void {
  let free = nextPart(sink.state);
  const content = message.content.map((part) =>
    part.part === undefined ? part : { ...part, part: draftedPart(sink, part.part) ?? free++ },
  );
  data.follow(batch, { ...message, content });
}

/**
 * Records a delegate's message and returns it as recorded: its parts count within it (RCD-15), and a sibling may have
 * taken one of its call ids since it was streamed (RCD-16).
 */
export function recordChildMessage(
  batch: BatchBuilder,
  { sink }: ConversationScope,
  message: StreamedMessage,
): StreamedMessage {
  const recorded = { ...message, content: uniqueCallIds(message.content, sink) };
  batch.add([recorded]);
  return recorded;
}

/** The place of a part of the message in progress, if a draft showed it. */
function draftedPart({ state }: Sink, ordinal: number): number | undefined {
  return state.open?.blocks[ordinal]?.part;
}

function isValidCall(tool: ToolDefinition | undefined, args: string): boolean {
  const parsed = parseArguments(args);
  return tool !== undefined && parsed.ok && parseToolArguments(tool, parsed.value).ok;
}

/** A provider may reuse a call id that the conversation still holds; the newer one is renamed (TBR-05, RCD-16). */
function uniqueCallIds(content: AssistantMessage['content'], { state }: Sink): AssistantMessage['content'] {
  const own = new Set<string>();
  return content.map((part) => {
    if (part.type !== 'call') return part;
    let id = part.id;
    for (let n = 2; own.has(id) || isCallIdTaken(state, id); n++) id = `${part.id}_${n}`;
    own.add(id);
    return id === part.id ? part : { ...part, id };
  });
}

/** Answers the calls of a recorded message. Each outcome is durable before its slot is used again (TBR-03). */
export async function runTools(
  scope: ConversationScope,
  frame: Pick<RenderedFrame, 'tools'>,
  message: { readonly turn: number; readonly stop: string },
  calls: readonly CallPart[],
): Promise<void> {
  const { sink, host, values, conv } = scope;
  const settle = (call: CallPart, outcome: CallOutcome, writes: readonly NewRecord[]) =>
    sink.write((batch) =>
      batch.add([...callsBelow(sink.state, conv, call.id), ...writes, settled(call, outcome)]),
    );
  const settled = (call: CallPart, outcome: CallOutcome): NewRecord => {
    const { durationMs } = outcome;
    const settlement = {
      type: 'call_settled' as const,
      submissionId: host,
      ...inConversation(conv),
      turn: message.turn,
      call: call.id,
      tool: call.tool,
      durationMs,
    };
    if (outcome.status === 'error')
      return {
        ...settlement,
        status: 'error' as const,
        content: errorParts(scope, call, outcome.text),
      };
    if ('content' in outcome) return { ...settlement, status: 'ok' as const, content: [...outcome.content] };
    const limit = scope.settings.maxToolResultBytes;
    return {
      ...settlement,
      status: 'ok' as const,
      output: outcome.output,
      ...(exceeds(outcome.output, limit) && { shown: limit }),
    };
  };
  const ids = calls.map((call) => call.id);
  if (conv === ROOT) values.beginBatch(ids, recordedWrites(sink.state));
  else values.openChildCalls(ids);
  await runToolBatch({
    calls,
    tools: new Map(frame.tools.map((tool) => [tool.name, tool])),
    cut: message.stop === 'length',
    signal: scope.signal,
    clock: scope.clock,
    within: (call, run) => inUnit({ instance: scope.path, call }, run),
    emitLog: scope.emitLog,
    started: (call, tool) => scope.trace.toolStarted(conv, call, tool),
    failed: (call, error) => scope.trace.toolFailed(conv, call, error),
    journal: (call) => stepJournal(scope, message.turn, call.id),
    record: async (call, outcome) => {
      const writes = writeRecords(scope, values.take(call.id));
      try {
        await settle(call, outcome, writes);
      } catch (error) {
        if (!FlueError.is(error, 'record_too_large')) throw error;
        // TBR-07: what cannot be recorded is told to the model instead, and the submission goes on.
        await settle(call, { status: 'error', text: error.message, durationMs: outcome.durationMs }, writes);
      }
    },
  });
  if (conv === ROOT && !scope.signal.aborted) values.commitBatch();
}

/** TURN-18: a model that repeats a call which keeps failing is told so. A delegate's calls are not counted. */
function errorParts(
  { sink, conv }: Pick<ConversationScope, 'sink' | 'conv'>,
  { tool, args }: CallPart,
  text: string,
): ResultPart[] {
  const isRepeated =
    conv === ROOT && failuresInARow(sink.state, tool, args, text) >= LIMITS.repeatedFailuresTold;
  return [{ type: 'text', text }, ...(isRepeated ? [{ type: 'text', text: REPEATED_FAILURE } as const] : [])];
}

function exceeds(output: unknown, limit: number): boolean {
  return Buffer.byteLength(JSON.stringify(output)) > limit;
}
