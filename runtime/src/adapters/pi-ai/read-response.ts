import type { AssistantMessage, AssistantMessageEvent } from '@earendil-works/pi-ai';
import type { ModelBlock } from '../../ports/model-gateway.ts';
import { Blocks, type ModelDelta } from '../models/blocks.ts';
import type { RedactedStream, Redactor } from './redactor.ts';

/** A finished response: the library's closing message, and the blocks as they were streamed. */
export interface ReadResponse {
  readonly message: AssistantMessage;
  readonly blocks: readonly ModelBlock[];
}

type Described =
  | { readonly type: 'text' | 'thinking' }
  | { readonly type: 'call'; readonly id: string; readonly tool: string };

/**
 * Yields the library's events as ours, in arrival order (TURN-03), redacted on the way, and returns how it ended. The
 * argument text of a call is collected as it streams; the library's own parse repairs cut JSON and is not looked at
 * (TURN-08).
 */
export async function* readResponse(
  events: AsyncIterable<AssistantMessageEvent>,
  redactor: Redactor,
): AsyncGenerator<ModelDelta, ReadResponse | undefined, undefined> {
  const blocks = new Blocks();
  const open = new Map<
    number,
    { readonly described: Described; readonly text: RedactedStream; seen: number }
  >();
  let message: AssistantMessage | undefined;

  const delta = (block: number, text: string): ModelDelta[] => {
    const { described } = open.get(block)!;
    if (text === '' && described.type !== 'call') return [];
    const event: ModelDelta =
      described.type === 'call'
        ? { type: 'call', block, id: described.id, tool: described.tool, delta: text }
        : { type: described.type, block, delta: text };
    blocks.add(event);
    return [event];
  };
  const start = (block: number, described: Described) => {
    open.set(block, { described, text: redactor.stream(), seen: 0 });
  };

  for await (const event of events) {
    switch (event.type) {
      case 'text_start':
        start(event.contentIndex, { type: 'text' });
        break;
      case 'thinking_start':
        start(event.contentIndex, { type: 'thinking' });
        break;
      case 'toolcall_start':
        start(event.contentIndex, describeCall(event.partial, event.contentIndex));
        yield* delta(event.contentIndex, '');
        break;
      case 'text_delta':
      case 'thinking_delta':
      case 'toolcall_delta': {
        const block = open.get(event.contentIndex);
        if (!block || event.delta === '') break;
        block.seen += event.delta.length;
        const text = block.text.push(event.delta);
        if (text !== '') yield* delta(event.contentIndex, text);
        break;
      }
      case 'text_end':
      case 'thinking_end':
      case 'toolcall_end': {
        const rest = open.get(event.contentIndex)?.text.flush();
        if (rest) yield* delta(event.contentIndex, rest);
        break;
      }
      case 'done':
        message = event.message;
        break;
      case 'error':
        message = event.error;
        break;
    }
  }
  for (const [block, { text }] of open) {
    const rest = text.flush();
    if (rest !== '') yield* delta(block, rest);
  }
  if (!message) return undefined;
  for (const [block, { described, seen }] of open) {
    if (described.type !== 'call' || seen > 0) continue;
    const args = unstreamedArguments(message, block);
    if (args !== undefined) yield* delta(block, args);
  }
  return { message, blocks: signed(message, blocks) };
}

function describeCall(partial: AssistantMessage, block: number): Described {
  const call = partial.content[block];
  if (call?.type !== 'toolCall') return { type: 'call', id: `call_${block}`, tool: '' };
  // A server that leaves the id out still needs one to take the result.
  return { type: 'call', id: call.id || `call_${block}`, tool: call.name };
}

/**
 * The arguments of a call whose text never came: a tool without parameters, or a provider that gives them whole. When the
 * output limit cut the response, a last call without any text is a cut one and stays empty.
 */
function unstreamedArguments(message: AssistantMessage, block: number): string | undefined {
  const call = message.content[block];
  if (call?.type !== 'toolCall') return undefined;
  const isCut =
    message.stopReason !== 'toolUse' && message.stopReason !== 'stop' && block === message.content.length - 1;
  return isCut && Object.keys(call.arguments).length === 0 ? undefined : JSON.stringify(call.arguments);
}

/** Every block at its number: its streamed text, with what the provider needs to take it back. */
function signed(message: AssistantMessage, blocks: Blocks): ModelBlock[] {
  return message.content.map((part, block) => signedPart(part, blocks.at(block)));
}

function signedPart(part: AssistantMessage['content'][number], streamed: ModelBlock | undefined): ModelBlock {
  const text = streamed && streamed.type !== 'call' ? streamed.text : '';
  switch (part.type) {
    case 'text':
      return { type: 'text', text, ...(part.textSignature && { sig: part.textSignature }) };
    case 'thinking':
      return {
        type: 'thinking',
        text,
        ...(part.thinkingSignature && { sig: part.thinkingSignature }),
        ...(part.redacted && { redacted: true as const }),
      };
    case 'toolCall':
      return {
        type: 'call',
        id: part.id,
        tool: part.name,
        args: '',
        ...(streamed?.type === 'call' && streamed),
        ...(part.thoughtSignature && { sig: part.thoughtSignature }),
        ...(part.namespace !== undefined && { replay: { namespace: part.namespace } }),
      };
  }
}
