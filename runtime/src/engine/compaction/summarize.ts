import type { ModelSettings } from '../../contract/limits.ts';
import { addUsage } from '../../conversation/add-usage.ts';
import { charactersIn, estimateTokens } from '../../conversation/fold/entries.ts';
import { FlueError } from '../../errors/flue-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  ModelEnd,
  ModelGateway,
  ModelInfo,
  ModelMessage,
  ModelRequest,
} from '../../ports/model-gateway.ts';
import type { PromptUsage } from '../../ports/model-shapes.ts';
import { OperationFailedError } from '../errors.ts';
import type { SummaryTrace } from '../events/compaction-trace.ts';
import { retryDelay } from '../retry-delay.ts';
import { historyPrompt, prefixPrompt, SUMMARY_SYSTEM } from './prompts.ts';
import { shorten } from './shorten.ts';
import { messageText } from './transcript-text.ts';

export interface SummaryPorts {
  readonly gateway: ModelGateway;
  readonly clock: Clock;
  readonly settings: ModelSettings;
  readonly signal: AbortSignal;
  /** epoch milliseconds; no wait for a retry reaches beyond it */
  readonly deadline: number;
  /** who writes the summaries (CMP-07) */
  readonly model: { readonly specifier: string; readonly info: ModelInfo };
  readonly agent: string;
  readonly sessionId: string;
  readonly trace: SummaryTrace;
}

export interface SummaryJob {
  readonly purpose: 'compaction' | 'compaction_prefix';
  readonly messages: readonly ModelMessage[];
  readonly former: string | undefined;
  readonly instructions: string | undefined;
  readonly maxTokens: number;
}

/** What the calls of one summary report together, failed ones included (USAGE-02). */
export interface SummaryUsage {
  sum: PromptUsage | undefined;
}

/** Below this a request that does not fit cannot be made smaller. */
const LEAST_CHARACTERS = 2_000;

/**
 * Summarizes the messages, in one call or, when the model's window asks for it, in several that each bring the summary
 * up to date (CMP-13). Rejects with `OperationFailedError`, with the typed error of a model that does not resolve, or
 * with the signal's reason.
 */
export async function summarize(ports: SummaryPorts, job: SummaryJob, usage: SummaryUsage): Promise<string> {
  let rest: readonly ModelMessage[] = job.messages;
  let summary = job.former;
  let room = roomFor(ports.model.info, job);
  while (rest.length > 0) {
    const part = takePart(rest, room);
    const end = await call(ports, requestOf(ports, job, part, summary), usage);
    if (end.fault?.class === 'overflow' && part.characters > LEAST_CHARACTERS) {
      room = Math.floor(part.characters / 2);
      continue;
    }
    if (end.fault) throw failure(ports, end, end.fault.reason ?? end.fault.message);
    summary = textOf(end);
    if (summary === '') throw failure(ports, end, 'the model returned no text.');
    rest = rest.slice(part.count);
  }
  return summary ?? '';
}

interface Part {
  readonly transcript: string;
  readonly messages: readonly ModelMessage[];
  readonly count: number;
  readonly characters: number;
}

/** As many messages as fit; one that does not fit alone is shortened. */
function takePart(messages: readonly ModelMessage[], room: number): Part {
  const texts: string[] = [];
  let characters = 0;
  for (const message of messages) {
    const text = messageText(message);
    const fits = texts.length === 0 ? shorten(text, Math.ceil(room / 2)) : text;
    if (texts.length > 0 && characters + fits.length > room) break;
    texts.push(fits);
    characters += fits.length;
  }
  return {
    transcript: texts.filter((text) => text !== '').join('\n\n'),
    messages: messages.slice(0, texts.length),
    count: texts.length,
    characters,
  };
}

/** Characters of transcript that a request of this model has room for, beside its answer and everything else in it. */
function roomFor({ contextWindow }: ModelInfo, job: SummaryJob): number {
  if (contextWindow <= 0) return Number.POSITIVE_INFINITY;
  const empty = { transcript: '', former: job.former, instructions: job.instructions };
  const frame = estimateTokens(SUMMARY_SYSTEM.length + promptOf(job, empty).length);
  // The summary grows from call to call up to the output limit.
  const grown = job.former === undefined ? job.maxTokens : 0;
  return Math.max(LEAST_CHARACTERS, charactersIn(contextWindow - job.maxTokens - frame - grown));
}

function promptOf({ purpose }: SummaryJob, request: Parameters<typeof historyPrompt>[0]): string {
  return purpose === 'compaction' ? historyPrompt(request) : prefixPrompt(request);
}

function requestOf(
  ports: SummaryPorts,
  job: SummaryJob,
  part: Part,
  former: string | undefined,
): ModelRequest {
  const { model, agent, sessionId } = ports;
  const text = promptOf(job, { transcript: part.transcript, former, instructions: job.instructions });
  return {
    specifier: model.specifier,
    system: SUMMARY_SYSTEM,
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    summarized: part.messages,
    tools: [],
    thinkingLevel: model.info.reasoning ? 'high' : 'off',
    sessionId,
    purpose: job.purpose,
    agent,
    maxTokens: job.maxTokens,
  };
}

/** One call under the rules of every model call: transient failures are tried again within the budget (CMP-13). */
async function call(ports: SummaryPorts, request: ModelRequest, usage: SummaryUsage): Promise<ModelEnd> {
  const { clock, settings, signal, deadline, trace } = ports;
  for (let failures = 1; ; failures += 1) {
    const told = trace.call(request, ports.model.info);
    const end = await endOf(ports.gateway.stream(request, signal));
    told.ended(end);
    signal.throwIfAborted();
    usage.sum = addUsage(usage.sum, end.usage);
    if (end.fault?.class !== 'transient' || failures > settings.retries) return end;
    const delay = Math.max(retryDelay(failures, settings.retryBaseMs), end.retryAfterMs ?? 0);
    if (clock.now() + delay >= deadline) return end;
    const retry = { attempt: failures, maxRetries: settings.retries, delayMs: delay };
    trace.retrying(told.turnId, end.fault, retry);
    await clock.sleep(delay, signal);
  }
}

async function endOf(events: ReturnType<ModelGateway['stream']>): Promise<ModelEnd> {
  for await (const event of events) if (event.type === 'end') return event;
  throw new Error('[flue] a model stream ended without its end event.');
}

function textOf({ content }: ModelEnd): string {
  return content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n\n')
    .trim();
}

function failure(ports: SummaryPorts, end: ModelEnd, reason: string): FlueError {
  // What failed before any request has a class of its own, with its own remedy.
  if (FlueError.is(end.cause)) return end.cause;
  const { provider, id } = ports.model.info;
  return new OperationFailedError(
    {
      operation: 'compaction',
      reason,
      category: end.fault?.class === 'overflow' ? 'overflow' : 'provider',
      provider,
      model: id,
      retryable: end.fault?.class === 'transient',
      ...(end.fault?.status !== undefined && { status: end.fault.status }),
      ...(end.fault?.class === 'transient' && { attempts: ports.settings.retries + 1 }),
    },
    { cause: end.cause, ...(end.fault && { dev: end.fault.message }) },
  );
}
