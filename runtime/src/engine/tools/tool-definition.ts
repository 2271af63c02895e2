import type * as v from 'valibot';
import type { ThinkingLevel } from '../../contract/names.ts';
import type { DeliveredAttachment } from '../../conversation/delivered-message.ts';
import type { SessionEnv } from '../../ports/sandbox.ts';
import type { CallHandle } from '../harness/call-handle.ts';
import type { PromptResponse, PromptResultResponse } from '../harness/prompt-response.ts';
import type { FlueLogger } from '../logger.ts';
import type { ToolStep } from './tool-step.ts';

/** Arguments of a tool are one JSON object, so its `input` is an object schema at the top (TOOL-03). */
export type ToolInputSchema = v.GenericSchema<Record<string, unknown>>;
export type ToolOutputSchema = v.GenericSchema;

interface CallContext {
  /** id of this call, the same on its events and on its result message (TCALL-14) */
  readonly toolCallId: string;
  /** fires when the call should stop; always present inside a session (TCALL-13) */
  readonly signal?: AbortSignal;
  readonly log: FlueLogger;
}

/**
 * What `run` receives. `data` exists only where `input` is declared (TCALL-05), `harness` for `harness: true` (FLAG-01),
 * `step` for `durable: true` (FLAG-02).
 */
export type ToolContext<I = undefined, H = false, D = false> = CallContext &
  ([I] extends [ToolInputSchema] ? { readonly data: v.InferOutput<I> } : unknown) &
  ([H] extends [true] ? { readonly harness: FlueHarness } : unknown) &
  ([D] extends [true] ? { readonly step: ToolStep } : unknown);

/**
 * The agent's runtime as code that runs within a response reaches it: its model, and its environment. It lives as long as
 * the call that received it, a tool's or a hook's; later use throws `HarnessClosedError` (HARN-01, HARN-03).
 */
export interface FlueHarness {
  /** `'default'` in a tool, the hook's name in a hook: the `harness` field of the events that it causes (HARN-02) */
  readonly name: string;
  /**
   * Runs the model on `text` in a conversation of the harness's own, which no client ever sees and later calls continue
   * (HARN-04). It begins with the agent's instructions, tools, skills, delegates, model and environment, and with none of
   * the agent's messages (HARN-05).
   *
   * Rejects with `InvalidRequestError` for a bad text or option, `ToolNameConflictError`, `SessionBusyError` while another
   * operation runs, `DelegationDepthExceededError`, the typed error of a model that does not resolve,
   * `OperationFailedError` when the model fails (HARN-10), and an `AbortError` once it was stopped (CALL-02). A failed
   * prompt fails nothing else.
   */
  prompt<S extends v.GenericSchema>(
    text: string,
    options: PromptOptions<S> & { result: S },
  ): CallHandle<PromptResultResponse<v.InferOutput<S>>>;
  prompt(text: string, options?: PromptOptions): CallHandle<PromptResponse>;
  /**
   * Compacts that conversation now; without effect when there is nothing to compact. Rejects when the summary fails or is
   * stopped, and with `SessionBusyError` while another operation runs (HARN-12).
   */
  compact(): Promise<void>;
  /** the live environment; what is done through it is never recorded (HARN-13) */
  readonly sandbox: SessionEnv;
}

/** An image of a prompt: plain base64, at most 14 MiB of characters (MSG-04). */
export type PromptImage = Omit<DeliveredAttachment, 'filename'>;

/** What one prompt does differently (HARN-07). */
export interface PromptOptions<S extends v.GenericSchema | undefined = undefined> {
  /** asks for data of this Valibot schema; rejects with `ResultUnavailableError` when the model gives none (RES-01) */
  result?: S;
  /** more tools, for this prompt alone (HARN-08) */
  tools?: readonly ToolDefinition[];
  /** specifier, in place of the agent's model */
  model?: string;
  thinkingLevel?: ThinkingLevel;
  /** stops the prompt, as `abort()` of its handle does */
  signal?: AbortSignal;
  /** shown with the text; needs a model that takes images */
  images?: readonly PromptImage[];
}

/**
 * What `run` may return: what `output` accepts, else any JSON value (JSON-01), `undefined` or nothing. The second case
 * is `unknown`, because a JSON type would refuse what the runtime takes: interfaces, dates, anything with `toJSON`.
 */
export type ToolRunResult<O = undefined> = [O] extends [ToolOutputSchema] ? v.InferInput<O> : unknown;

/**
 * A tool as `defineTool()` returns it and as `useTool()` takes it. The type parameters are inferred from the schemas
 * and never looked into, so that many tools with large schemas stay cheap for an editor.
 */
export interface ToolDefinition<
  I extends ToolInputSchema | undefined = ToolInputSchema | undefined,
  O extends ToolOutputSchema | undefined = ToolOutputSchema | undefined,
  H extends boolean = boolean,
  D extends boolean = boolean,
> {
  /** the name by which the model calls it: letters, digits, `_` and `-`, at most 128 (TOOL-02) */
  readonly name: string;
  /** all that the model knows about it: what it does, when to use it, what it returns */
  readonly description: string;
  readonly input?: I;
  readonly output?: O;
  /**
   * `true`: `run` receives `harness`, by which it prompts models and reaches the environment. Such a tool runs inside an
   * agent only (FLAG-01); default `false`
   */
  readonly harness?: H;
  /**
   * `true`: `run` receives `step`, and a call that was interrupted is executed again, its recorded steps replayed,
   * instead of settling with an unknown outcome (FLAG-02); default `false`
   */
  readonly durable?: D;
  /** `false` makes every tool batch that calls it run one call at a time; default `true` (TOOL-05) */
  readonly parallel?: boolean;
  /** limit of one call in milliseconds, a positive integer; default none (TOOL-14) */
  readonly timeoutMs?: number;
  run(context: ToolContext<I, H, D>): ToolRunResult<O> | Promise<ToolRunResult<O>>;
}

/** A tool as a model call offers it: an adapter's may bring the JSON Schema of its arguments, and judges them itself. */
export type MountedTool = ToolDefinition & { readonly jsonSchema?: Readonly<Record<string, unknown>> };

/** The arguments that a tool takes, as a caller sends them (TOOL-08). */
export type ToolInput<T> = T extends { readonly input?: infer I }
  ? Exclude<I, undefined> extends infer S extends v.GenericSchema
    ? [S] extends [never]
      ? undefined
      : v.InferInput<S>
    : never
  : undefined;

/** The value that a call of a tool records and shows: its parsed output (TOOL-08). */
export type ToolOutput<T> = T extends { readonly output?: infer O }
  ? [Exclude<O, undefined>] extends [never]
    ? unknown
    : Exclude<O, undefined> extends infer S extends v.GenericSchema
      ? v.InferOutput<S>
      : never
  : unknown;
