import type { ThinkingLevel } from '../contract/names.ts';
import type {
  AssistantPart,
  CallPart,
  Fault,
  JsonObject,
  ModelRef,
  PromptUsage,
  Stop,
  TextPart,
  ThinkingPart,
} from './model-shapes.ts';

/**
 * The model port: the one place that knows a model library. What goes in and comes out are our own shapes, so stored
 * data never depends on the library (RCD-18).
 */
export interface ModelGateway {
  /**
   * Resolves a specifier against the live registry, without any request (SPEC-03..SPEC-08). Rejects with the classes of
   * `model-errors.ts`. A promise, because the model library is loaded when the first specifier outside `offline` asks.
   */
  resolve(specifier: string): Promise<ModelInfo>;
  /** One model call. Never rejects: a failure is the `end` event's `fault`; an abort ends it with stop `aborted`. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /**
   * Takes every credential that was resolved for a request so far out of a text (AUTH-05). Another function once there
   * are more of them, so that what one function has made can be kept.
   */
  readonly redact: (text: string) => string;
}

/** SPEC-12. */
export interface ModelInfo {
  /** the two halves of the specifier, as written */
  readonly provider: string;
  readonly id: string;
  readonly api: string;
  /** tokens; 0 is unknown */
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly reasoning: boolean;
  readonly input: readonly ('text' | 'image')[];
  /** per million tokens */
  readonly cost: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  readonly source: 'catalog' | 'registration' | 'offline';
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object at the top */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ModelImage {
  readonly type: 'image';
  readonly mimeType: string;
  /** base64 */
  readonly data: string;
}

export type ModelContent = { readonly type: 'text'; readonly text: string } | ModelImage;

export type ModelMessage =
  | { readonly role: 'user'; readonly content: readonly ModelContent[] }
  | {
      readonly role: 'assistant';
      readonly model: ModelRef;
      readonly content: readonly AssistantPart[];
      readonly stop: Stop;
      readonly replay?: JsonObject;
    }
  | {
      readonly role: 'tool';
      readonly call: string;
      readonly tool: string;
      readonly isError: boolean;
      readonly content: readonly ModelContent[];
    };

export interface ModelRequest {
  /** `'provider-id/model-id'` */
  readonly specifier: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /**
   * With a `compaction` purpose: what `messages` tells of as prose, as it stood in the conversation. It is not sent; the
   * offline model summarizes from it (OFF-13).
   */
  readonly summarized?: readonly ModelMessage[];
  /** in serialized order (TURN-15) */
  readonly tools: readonly ModelTool[];
  readonly thinkingLevel: ThinkingLevel;
  /** stable cache key of the conversation (TURN-14) */
  readonly sessionId: string;
  readonly purpose: 'agent' | 'compaction' | 'compaction_prefix';
  /** identity of the agent, for scripted models (SCR `when.agent`) */
  readonly agent?: string;
  readonly maxTokens?: number;
}

/**
 * What a call yields, in arrival order. Deltas of one block concatenate exactly to its text in `end` (TURN-03). Call
 * arguments are the text as streamed, never a repaired parse (TURN-08).
 */
export type ModelEvent =
  | { readonly type: 'text'; readonly block: number; readonly delta: string }
  | { readonly type: 'thinking'; readonly block: number; readonly delta: string }
  | {
      readonly type: 'call';
      readonly block: number;
      readonly id: string;
      readonly tool: string;
      readonly delta: string;
    }
  | ModelEnd;

export interface ModelEnd {
  readonly type: 'end';
  readonly model: ModelRef;
  /**
   * Block `n` of the events stands at index `n`; `part` and `valid` are the caller's to set. A failed or aborted response
   * holds no call and nothing after its first one (RCD-10).
   */
  readonly content: readonly ModelBlock[];
  readonly stop: Stop;
  readonly fault?: Fault;
  /**
   * The provider's error, for `cause` and the server log only. A `FlueError` here (no credential, a specifier that does
   * not resolve) came before any request and settles the submission as it is (SPEC-06, AUTH-04).
   */
  readonly cause?: unknown;
  /** name of the variable that supplied the key, with a 401 or 403 (AUTH-06) */
  readonly envVar?: string;
  /** least wait before a retry, in milliseconds, where the response exposed one (RETRY-04) */
  readonly retryAfterMs?: number;
  /** the level really used (THINK-04); absent when nothing was sent */
  readonly thinkingLevel?: ThinkingLevel;
  readonly usage: PromptUsage;
  readonly replay?: JsonObject;
  readonly responseId?: string;
  /** the model that answered, where it names another than the requested one */
  readonly responseModel?: string;
}

export type ModelBlock =
  | Omit<TextPart, 'part'>
  | Omit<ThinkingPart, 'part'>
  | Omit<CallPart, 'part' | 'valid'>;
