import * as v from 'valibot';
import type { Clock } from '../../ports/clock.ts';
import type { JsonValue, ResultPart } from '../../ports/model-shapes.ts';
import type { HeldHarness } from '../harness/held-harness.ts';
import { NotJsonError, snapshotJson } from '../json-value.ts';
import { createLogger, type FlueLogger, type LogLine } from '../logger.ts';
import { errorText } from './error-text.ts';
import {
  ToolInputValidationError,
  ToolOutputSerializationError,
  ToolOutputValidationError,
  toolIssues,
} from './errors.ts';
import { ToolContent } from './tool-content.ts';
import type { MountedTool, ToolDefinition, ToolOutputSchema } from './tool-definition.ts';
import { createToolStep, NO_JOURNAL, type StepJournal } from './tool-step.ts';

/** A call's arguments, parsed; `data` is absent for a tool without `input`. */
export type ToolArguments =
  | { readonly ok: true; readonly data?: unknown }
  | { readonly ok: false; readonly error: unknown };

/**
 * Parses arguments as the model sent them, without any coercion before the schema (TCALL-04). Missing ones count as
 * `{}`; a tool without `input` ignores them (TCALL-05).
 */
export function parseToolArguments(tool: MountedTool, args: unknown): ToolArguments {
  if (tool.jsonSchema) return { ok: true, data: args ?? {} };
  if (!tool.input) return { ok: true };
  try {
    const parsed = v.safeParse(tool.input, args === undefined ? {} : args);
    if (parsed.success) return { ok: true, data: parsed.output };
    return {
      ok: false,
      error: new ToolInputValidationError({ tool: tool.name, issues: toolIssues(parsed.issues) }),
    };
  } catch (error) {
    // A check or a transform of the schema threw: author code, so its failure is the call's.
    return { ok: false, error };
  }
}

export interface ToolExecution {
  readonly tool: MountedTool;
  readonly data: unknown;
  readonly toolCallId: string;
  readonly signal: AbortSignal;
  readonly log: FlueLogger;
  readonly timer: Clock['timer'];
  /** of a harness tool; it is closed when `run` has ended (FLAG-01) */
  readonly harness?: HeldHarness | undefined;
  /** where a durable tool's steps are kept; without it nothing is recorded (STEP-10) */
  readonly journal?: StepJournal | undefined;
}

/**
 * Runs a tool on parsed arguments: `run`, parse of its output, JSON snapshot (TCALL-02). Rejects with whatever went
 * wrong; with `signal.reason` when the call ended by its signal.
 */
export async function executeTool(execution: ToolExecution): Promise<JsonValue | ToolContent> {
  return recordable(execution.tool, await runWithinLimits(execution));
}

/** Ends at the tool's own limit, or one macrotask after an abort, whether or not `run` does (TOOL-14, TBR-06). */
async function runWithinLimits(execution: ToolExecution): Promise<unknown> {
  const { tool, data, toolCallId, signal, log, timer } = execution;
  signal.throwIfAborted();
  const limit = tool.timeoutMs === undefined ? undefined : new AbortController();
  const ownSignal = limit ? AbortSignal.any([signal, limit.signal]) : signal;
  let over = false;
  const isOver = () => over;
  const context = {
    toolCallId,
    signal: ownSignal,
    log,
    ...((tool.input ?? tool.jsonSchema) && { data }),
    ...(execution.harness && { harness: execution.harness.harness }),
    ...(tool.durable && {
      step: createToolStep({ journal: execution.journal ?? NO_JOURNAL, signal: ownSignal, log, isOver }),
    }),
  };
  const cleanUp: (() => void)[] = [];
  const ended = new Promise<never>((_, reject) => {
    // The pause lets a tool that listens end in its own way. It is an order of events, not a time: no clock holds it.
    const abandon = () => setTimeout(() => reject(signal.reason), 0);
    signal.addEventListener('abort', abandon, { once: true });
    cleanUp.push(() => signal.removeEventListener('abort', abandon));
    if (!limit || tool.timeoutMs === undefined) return;
    const expire = () => {
      const reason = new DOMException(
        `The tool "${tool.name}" was stopped: it took longer than its limit of ${tool.timeoutMs} ms.`,
        'TimeoutError',
      );
      reject(reason); // before the signal, so that no answer of `run` to it comes first
      limit.abort(reason);
    };
    cleanUp.push(timer(tool.timeoutMs, expire));
  });
  try {
    // What an abandoned run settles to later is observed by the race and dropped.
    return await Promise.race([(async () => tool.run(context))(), ended]);
  } finally {
    over = true;
    for (const step of cleanUp) step();
    await execution.harness?.close();
  }
}

function recordable(tool: ToolDefinition, returned: unknown): JsonValue | ToolContent {
  if (returned instanceof ToolContent) return returned;
  const value = tool.output
    ? parseOutput(tool, tool.output, returned)
    : returned === undefined
      ? null
      : returned;
  if (value === undefined) {
    throw new ToolOutputSerializationError({ tool: tool.name, problem: 'its output schema gave undefined.' });
  }
  try {
    return snapshotJson(value, 'output');
  } catch (cause) {
    const problem = cause instanceof NotJsonError ? cause.message : `reading it failed: ${errorText(cause)}`;
    throw new ToolOutputSerializationError({ tool: tool.name, problem, cause });
  }
}

function parseOutput(tool: ToolDefinition, schema: ToolOutputSchema, returned: unknown): unknown {
  const parsed = v.safeParse(schema, returned);
  if (parsed.success) return parsed.output;
  throw new ToolOutputValidationError({
    tool: tool.name,
    issues: toolIssues(parsed.issues),
    missing: returned === undefined,
  });
}

/** Thrown by a tool of the framework whose call has no outcome yet: whoever ends the attempt closes it. */
export class CallUnresolved extends Error {
  override readonly name = 'CallUnresolved';
}

export type ToolCallResult =
  | { readonly kind: 'ok'; readonly output: JsonValue }
  /** of a framework tool */
  | { readonly kind: 'ok'; readonly content: readonly ResultPart[] }
  /** `text` is what the model sees; `error` is for observers and the log */
  | { readonly kind: 'error'; readonly text: string; readonly error: unknown }
  /** the attempt ends before there is an outcome; a late one is dropped */
  | { readonly kind: 'aborted' };

export interface ToolCall extends Omit<ToolExecution, 'data' | 'log'> {
  readonly arguments: ToolArguments;
  /** receives the call's log lines, with `tool` and `toolCallId` among the attributes, until the call settles */
  readonly emitProgress: (line: LogLine) => void;
}

/** Answers one call of the model. Never rejects: a fault of the tool is a result that the model reads (TCALL-09). */
export async function callTool(call: ToolCall): Promise<ToolCallResult> {
  const { tool, toolCallId, signal } = call;
  if (!call.arguments.ok) return failed(call.arguments.error);
  let settled = false;
  const emit = (line: LogLine) => {
    if (!settled) call.emitProgress(line);
  };
  const log = createLogger(emit, { tool: tool.name, toolCallId });
  try {
    const result = await executeTool({ data: call.arguments.data, log, ...call });
    return result instanceof ToolContent
      ? { kind: 'ok', content: result.parts }
      : { kind: 'ok', output: result };
  } catch (error) {
    return signal.aborted || error instanceof CallUnresolved ? { kind: 'aborted' } : failed(error);
  } finally {
    settled = true;
  }
}

function failed(error: unknown): ToolCallResult {
  return { kind: 'error', text: errorText(error), error };
}
