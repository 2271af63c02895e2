import type * as v from 'valibot';
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

/** What `run` receives. `data` exists only where `input` is declared (TCALL-05), `step` for `durable: true` (FLAG-02). */
export type ToolContext<I = undefined, D = false> = CallContext &
  ([I] extends [ToolInputSchema] ? { readonly data: v.InferOutput<I> } : unknown) &
  ([D] extends [true] ? { readonly step: ToolStep } : unknown);

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
  D extends boolean = boolean,
> {
  /** the name by which the model calls it: letters, digits, `_` and `-`, at most 128 (TOOL-02) */
  readonly name: string;
  /** all that the model knows about it: what it does, when to use it, what it returns */
  readonly description: string;
  readonly input?: I;
  readonly output?: O;
  /** reserved; `true` needs a later release */
  readonly harness?: false;
  /**
   * `true`: `run` receives `step`, and a call that was interrupted is executed again, its recorded steps replayed,
   * instead of settling with an unknown outcome (FLAG-02); default `false`
   */
  readonly durable?: D;
  /** `false` makes every tool batch that calls it run one call at a time; default `true` (TOOL-05) */
  readonly parallel?: boolean;
  /** limit of one call in milliseconds, a positive integer; default none (TOOL-14) */
  readonly timeoutMs?: number;
  run(context: ToolContext<I, D>): ToolRunResult<O> | Promise<ToolRunResult<O>>;
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
