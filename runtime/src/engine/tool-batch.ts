import { LIMITS } from '../contract/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { CallPart, JsonValue, ResultPart } from '../ports/model-shapes.ts';
import type { HeldHarness } from './harness/held-harness.ts';
import type { LogLine } from './logger.ts';
import { callTool, parseToolArguments, type ToolCallResult } from './tools/run-call.ts';
import type { ToolDefinition } from './tools/tool-definition.ts';
import type { StepJournal } from './tools/tool-step.ts';

/** How one call ended, as it is recorded. */
export type CallOutcome =
  | { readonly status: 'ok'; readonly output: JsonValue; readonly durationMs: number }
  | { readonly status: 'ok'; readonly content: readonly ResultPart[]; readonly durationMs: number }
  | { readonly status: 'error'; readonly text: string; readonly durationMs: number };

export interface ToolBatch {
  readonly calls: readonly CallPart[];
  /** mounted by the render that made the request (TCALL-19) */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** the message was cut by the model's output limit, so a call whose arguments do not parse was cut too */
  readonly cut: boolean;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Runs one call in the scope to which its state writes belong. */
  readonly within: <T>(callId: string, run: () => Promise<T>) => Promise<T>;
  /** Where the steps of a durable tool's call are kept. */
  readonly journal: (call: CallPart) => StepJournal;
  /** What a harness tool's call reaches its agent through. */
  readonly harness: (call: CallPart) => HeldHarness;
  /** Makes an outcome durable; it is awaited before the call's slot is given on (TBR-03). */
  readonly record: (call: CallPart, outcome: CallOutcome) => Promise<void>;
  readonly emitProgress: (line: LogLine) => void;
  /** Told as a call begins; without a tool when none of its name is mounted. */
  readonly started: (call: CallPart, tool: ToolDefinition | undefined) => void;
  /** Told of a failure, before it is recorded as a text. */
  readonly failed: (call: CallPart, error: unknown) => void;
}

/**
 * Runs the calls of one message, at most 16 at once, or one at a time as soon as one of them asks for it (TURN-05).
 * Ends when every call has an outcome, or when the signal fired: what is unresolved then is closed by the settlement
 * or by recovery (TBR-04). Rejects only if an outcome cannot be recorded.
 */
export async function runToolBatch(batch: ToolBatch): Promise<void> {
  const oneByOne = batch.calls.some((call) => batch.tools.get(call.tool)?.parallel === false);
  const waiting = [...batch.calls];
  const lanes = Math.min(waiting.length, oneByOne ? 1 : LIMITS.parallelToolCalls);
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let call = waiting.shift(); call && !batch.signal.aborted; call = waiting.shift())
        await answer(batch, call);
    }),
  );
}

async function answer(batch: ToolBatch, call: CallPart): Promise<void> {
  const started = batch.clock.now();
  batch.started(call, batch.tools.get(call.tool));
  const result = await resultOf(batch, call);
  if (result.kind === 'aborted') return;
  if (result.kind === 'error') batch.failed(call, result.error);
  const durationMs = Math.max(0, Math.round(batch.clock.now() - started));
  await batch.record(call, outcomeOf(result, durationMs));
}

function outcomeOf(result: Exclude<ToolCallResult, { kind: 'aborted' }>, durationMs: number): CallOutcome {
  if (result.kind === 'error') return { status: 'error', text: result.text, durationMs };
  return 'content' in result
    ? { status: 'ok', content: result.content, durationMs }
    : { status: 'ok', output: result.output, durationMs };
}

async function resultOf(batch: ToolBatch, call: CallPart): Promise<ToolCallResult> {
  const args = parseArguments(call.args);
  if (!args.ok && batch.cut) return refused(cutText(call.tool));
  const tool = batch.tools.get(call.tool);
  if (!tool) return refused(unknownToolText(call.tool, [...batch.tools.keys()]));
  if (!args.ok)
    return refused(
      `The arguments of "${call.tool}" are not a JSON object (${args.problem}). Call it again with valid JSON.`,
    );
  return batch.within(call.id, () =>
    callTool({
      tool,
      toolCallId: call.id,
      signal: batch.signal,
      timer: batch.clock.timer,
      ...(tool.harness && { harness: batch.harness(call) }),
      ...(tool.durable && { journal: batch.journal(call) }),
      arguments: parseToolArguments(tool, args.value),
      emitProgress: batch.emitProgress,
    }),
  );
}

/** Judged on the raw text: a streaming parser repairs cut JSON, so its value alone proves nothing (TURN-08). */
export function parseArguments(
  text: string,
): { ok: true; value: Record<string, unknown> } | { ok: false; problem: string } {
  if (text.trim() === '') return { ok: true, value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { ok: true, value: value as Record<string, unknown> };
    }
    return { ok: false, problem: 'an object is needed at the top' };
  } catch (error) {
    return { ok: false, problem: (error as Error).message };
  }
}

function refused(text: string): ToolCallResult {
  return { kind: 'error', text, error: new Error(text) };
}

function cutText(tool: string): string {
  return (
    `This call of "${tool}" was cut off by the output limit before its arguments were complete, so it did not run. ` +
    'Send it again, with shorter arguments if possible.'
  );
}

function unknownToolText(name: string, available: readonly string[]): string {
  const near = available.find((candidate) => isNear(candidate, name));
  const hint = near ? ` Did you mean "${near}"?` : '';
  return `Unknown tool "${name}".${hint} Available: ${available.join(', ') || '(none)'}.`;
}

function isNear(candidate: string, name: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const [a, b] = [plain(candidate), plain(name)];
  return b.length > 2 && (a === b || a.startsWith(b) || b.startsWith(a) || a.includes(b));
}
