import { isCallIdTaken, nextPart, nextTurn } from '../conversation/fold/queries.ts';
import { ROOT } from '../conversation/fold/state.ts';
import { type AssistantMessage, conversationId, type NewRecord } from '../conversation/records/index.ts';
import type { ModelRequest } from '../ports/model-gateway.ts';
import type { ModelStep, UnplacedMessage } from './model-step.ts';
import type { RenderedFrame } from './render.ts';
import { requestMessages, systemPrompt } from './request.ts';
import type { BatchBuilder, Sink } from './sink.ts';
import { type Draft, streamMessage } from './stream-message.ts';
import { parseArguments } from './tool-batch.ts';
import { modelTool } from './tools/json-schema.ts';
import { parseToolArguments } from './tools/run-call.ts';
import type { ToolDefinition } from './tools/tool-definition.ts';
import type { ConversationScope, TurnScope } from './turn-scope.ts';
import { inConversation } from './write-records.ts';

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
  const message: UnplacedMessage = {
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
  return signal.aborted ? { kind: 'aborted', message: cutOff(message) } : { kind: 'message', message, end };
}

/** A message that was stopped holds no call, since none of them ran (RCD-10, RCD-59); what it said moves up. */
function cutOff({ fault: _, ...message }: UnplacedMessage): UnplacedMessage {
  let free = 0;
  const content = message.content.flatMap((part) => {
    if (part.type === 'call') return [];
    return part.part === undefined ? [part] : [{ ...part, part: free++ }];
  });
  return { ...message, content, stop: 'aborted' };
}

/**
 * Records a completed message: what was drafted stays where it was shown, the rest takes the next free places (RCD-58),
 * which a data part may have moved on meanwhile.
 */
export function recordMessage(
  batch: BatchBuilder,
  { sink, data }: TurnScope,
  message: UnplacedMessage,
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
  message: UnplacedMessage,
): UnplacedMessage {
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
