import { createHash } from 'node:crypto';
import type { ModelEvent, ModelInfo, ModelRequest } from '../../../ports/model-gateway.ts';
import { Blocks } from '../../models/blocks.ts';
import { completeUsage } from '../../models/usage.ts';
import { deltaEvents, deltasOf, type OfflineBlock } from '../emit.ts';
import { type Decision, decide } from './decide.ts';

const CHARS_PER_TOKEN = 4;
/** What an image counts for; it is not read (OFF-14). */
const CHARS_PER_IMAGE = 4_800;

/** One turn of the demo model. It stops between two deltas when the signal fires. */
export async function* streamDemo(
  request: ModelRequest,
  o: { readonly info: ModelInfo; readonly signal: AbortSignal },
): AsyncGenerator<ModelEvent, void, undefined> {
  const decision = decide(request);
  const blocks = new Blocks();
  for (const event of deltaEvents([blockOf(decision, request)])) {
    o.signal.throwIfAborted();
    blocks.add(event);
    yield event;
  }
  yield {
    type: 'end',
    model: { provider: o.info.provider, id: o.info.id, api: o.info.api },
    content: blocks.all(),
    stop: decision.kind === 'call' ? 'toolUse' : 'stop',
    usage: completeUsage({ input: tokens(requestChars(request)), output: tokens(decisionChars(decision)) }),
    responseModel: 'flue-offline-demo',
  };
}

function blockOf(decision: Decision, request: ModelRequest): OfflineBlock {
  if (decision.kind === 'say') return { type: 'text', deltas: deltasOf(decision.text) };
  return {
    type: 'call',
    id: callId(request),
    tool: decision.tool,
    deltas: deltasOf(JSON.stringify(decision.values)),
  };
}

/** The same transcript gives the same id, and one more message another (OFF-03). */
function callId(request: ModelRequest): string {
  const digest = createHash('sha256').update(JSON.stringify(request.messages)).digest('hex');
  return `off_${digest.slice(0, 16)}`;
}

function requestChars(request: ModelRequest): number {
  const tools = request.tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
  return request.messages.reduce(
    (sum, message) => sum + messageChars(message),
    request.system.length + tools,
  );
}

function messageChars(message: ModelRequest['messages'][number]): number {
  let chars = 0;
  for (const part of message.content) {
    if (part.type === 'image') chars += CHARS_PER_IMAGE;
    else if (part.type === 'call') chars += part.tool.length + part.args.length;
    else chars += part.text.length;
  }
  return chars;
}

function decisionChars(decision: Decision): number {
  return decision.kind === 'say'
    ? decision.text.length
    : decision.tool.length + JSON.stringify(decision.values).length;
}

function tokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
