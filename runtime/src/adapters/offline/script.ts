import { misuse } from '../../errors/flue-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  ModelEnd,
  ModelEvent,
  ModelInfo,
  ModelMessage,
  ModelRequest,
} from '../../ports/model-gateway.ts';
import type { Fault, Stop } from '../../ports/model-shapes.ts';
import { Blocks, beforeCalls } from '../models/blocks.ts';
import { completeUsage } from '../models/usage.ts';
import { deltaEvents, deltasOf, type OfflineBlock } from './emit.ts';
import { checkStep, type ScriptDefinition, type ScriptRequest, type ScriptStep } from './script-step.ts';

/*
 * Written without pi-ai's faux provider (SCR-02 names it): that one serializes the whole transcript to estimate usage
 * that SCR-04 replaces, cuts deltas at random, cannot stream arguments that are no JSON, and does not end a delay on
 * abort. A script is a queue and a few waits, and costs microseconds per call without loading the library.
 */

/** A queue of scripted responses and everything that was asked of it. */
export class Script {
  readonly definition: ScriptDefinition;
  readonly requests: ScriptRequest[] = [];
  #steps: ScriptStep[];
  readonly #cursors = new Map<string, number>();
  /** responses given, over all conversations: call ids derive from it */
  #given = 0;

  constructor(definition: ScriptDefinition) {
    this.definition = definition;
    this.#steps = typeof definition.steps === 'function' ? [] : [...definition.steps];
  }

  /** Steps that no request has taken; with one queue per conversation, those of the one that is furthest behind. */
  get remaining(): number {
    const taken = this.#cursors.size === 0 ? [0] : [...this.#cursors.values()];
    return Math.max(0, this.#steps.length - Math.min(...taken));
  }

  append(steps: readonly ScriptStep[]): void {
    for (const [index, step] of steps.entries()) checkStep(step, `append(), step ${index}`);
    this.#steps = [...this.#steps, ...steps];
  }

  reset(): void {
    this.#cursors.clear();
    this.requests.length = 0;
    this.#given = 0;
  }

  /** Takes the step that answers this request. Throws what SCR-08 asks for; a refused step stays in the queue. */
  take(request: ModelRequest): { step: ScriptStep; position: number } {
    const seen = describeRequest(request);
    this.requests.push(seen);
    const { steps } = this.definition;
    if (typeof steps === 'function') {
      const step = steps(seen);
      checkStep(step, 'the step of the script function');
      return { step, position: this.#given++ };
    }
    const cursor = this.definition.scope === 'conversation' ? request.sessionId : '';
    const next = this.#cursors.get(cursor) ?? 0;
    const index = this.definition.loop && this.#steps.length > 0 ? next % this.#steps.length : next;
    const step = this.#steps[index];
    if (step === undefined) {
      throw misuse(
        `offline/script: the script has ${this.#steps.length} steps, and request ${next + 1} asks for one more: ` +
          `${summarize(request)}.`,
      );
    }
    const fault = mismatch(step, request);
    if (fault)
      throw misuse(`offline/script: step ${index} expected ${fault}; the request is ${summarize(request)}.`);
    this.#cursors.set(cursor, next + 1);
    return { step, position: this.#given++ };
  }
}

/** Streams one scripted response. Every wait ends at once on abort, by rejecting with the signal's reason (SCR-06). */
export async function* streamScript(
  script: Script,
  request: ModelRequest,
  o: { readonly info: ModelInfo; readonly clock: Clock; readonly signal: AbortSignal },
): AsyncGenerator<ModelEvent, void, undefined> {
  const { step, position } = script.take(request);
  const wait = (ms: number) => o.clock.sleep(ms, o.signal);
  const blocks = new Blocks();
  if (step.delayMs) await wait(step.delayMs);

  let first = true;
  for (const event of deltaEvents(blocksOf(step, position))) {
    if (!first && step.chunkDelayMs) await wait(step.chunkDelayMs);
    o.signal.throwIfAborted();
    blocks.add(event);
    yield event;
    if (first && step.stallMs) await wait(step.stallMs);
    first = false;
  }
  yield await endOf(step, blocks, o.info);
}

async function endOf(step: ScriptStep, blocks: Blocks, info: ModelInfo): Promise<ModelEnd> {
  const end = {
    type: 'end',
    model: { provider: info.provider, id: info.id, api: info.api },
    usage: completeUsage(step.usage ?? {}, info.cost),
    ...(step.responseId !== undefined && { responseId: step.responseId }),
  } as const;
  if (step.error) {
    const fault = await faultOf(step.error);
    return { content: beforeCalls(blocks.all()), stop: 'error', fault, ...end };
  }
  const stop: Stop = step.stopReason ?? (step.toolCalls && step.toolCalls.length > 0 ? 'toolUse' : 'stop');
  return { content: stop === 'aborted' ? beforeCalls(blocks.all()) : blocks.all(), stop, ...end };
}

/** A terminal text that providers use for an input that does not fit is one here too (OVER-01). */
async function faultOf({ transient = true, message = UNAVAILABLE }: ScriptError): Promise<Fault> {
  if (transient) return { class: 'transient', message };
  const { isOverflowText } = await import('../pi-ai/fault.ts');
  return isOverflowText(message)
    ? { class: 'overflow', message, reason: 'context_overflow' }
    : { class: 'terminal', message };
}

type ScriptError = NonNullable<ScriptStep['error']>;
const UNAVAILABLE = '503 service unavailable (scripted)';

function blocksOf(step: ScriptStep, position: number): OfflineBlock[] {
  const blocks: OfflineBlock[] = [];
  const cut = step.error ? (step.error.afterChars ?? 0) : undefined;
  if (cut === 0) return blocks;
  if (step.thinking) blocks.push({ type: 'thinking', deltas: deltasOf(step.thinking) });
  const text = typeof step.text === 'string' ? deltasOf(step.text) : (step.text ?? []);
  if (text.length > 0) blocks.push({ type: 'text', deltas: cut === undefined ? text : cutAfter(text, cut) });
  if (cut !== undefined) return blocks;
  for (const [index, call] of (step.toolCalls ?? []).entries()) {
    const args = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    const id = call.id ?? `call_${position}_${index}`;
    blocks.push({ type: 'call', id, tool: call.name, deltas: deltasOf(args) });
  }
  return blocks;
}

function cutAfter(deltas: readonly string[], chars: number): string[] {
  const kept: string[] = [];
  let left = chars;
  for (const delta of deltas) {
    if (left <= 0) break;
    kept.push(delta.slice(0, left));
    left -= delta.length;
  }
  return kept;
}

/** What the step wants and the request is not, or `undefined`. */
function mismatch({ when }: ScriptStep, request: ModelRequest): string | undefined {
  if (!when) return undefined;
  if (when.user !== undefined) {
    const text = newestUserText(request.messages);
    const holds = typeof when.user === 'string' ? text.includes(when.user) : new RegExp(when.user).test(text);
    if (!holds)
      return `a user text ${typeof when.user === 'string' ? `with "${when.user}"` : `matching ${when.user}`}`;
  }
  if (when.tool !== undefined && !answeredTools(request.messages).includes(when.tool)) {
    return `a result of the tool "${when.tool}"`;
  }
  if (when.agent !== undefined && when.agent !== request.agent) return `the agent "${when.agent}"`;
  if (when.purpose !== undefined && when.purpose !== request.purpose) return `the purpose "${when.purpose}"`;
  return undefined;
}

function summarize(request: ModelRequest): string {
  const tools = answeredTools(request.messages);
  const parts = [
    `purpose "${request.purpose}"`,
    request.agent && `agent "${request.agent}"`,
    `newest user text "${newestUserText(request.messages).slice(0, 120)}"`,
    tools.length > 0 && `results of ${tools.join(', ')}`,
  ];
  return parts.filter(Boolean).join(', ');
}

function newestUserText(messages: readonly ModelMessage[]): string {
  const message = messages.findLast((candidate) => candidate.role === 'user');
  return message?.role === 'user' ? textOf(message.content) : '';
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : [])).join('\n');
}

/** Tools whose results stand after the newest assistant message. */
function answeredTools(messages: readonly ModelMessage[]): string[] {
  const start = messages.findLastIndex((message) => message.role === 'assistant') + 1;
  return messages.slice(start).flatMap((message) => (message.role === 'tool' ? [message.tool] : []));
}

function describeRequest(request: ModelRequest): ScriptRequest {
  const { thinkingLevel, sessionId, purpose, agent, maxTokens } = request;
  return {
    model: request.specifier,
    systemPrompt: request.system,
    messages: request.messages,
    tools: request.tools,
    options: {
      thinkingLevel,
      sessionId,
      purpose,
      ...(agent !== undefined && { agent }),
      ...(maxTokens !== undefined && { maxTokens }),
    },
  };
}
