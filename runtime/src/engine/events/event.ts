import type {
  ModelContent,
  ModelMessage,
  ModelTool,
  ModelRequest as PortRequest,
} from '../../ports/model-gateway.ts';
import type { JsonObject, JsonValue, PromptUsage, ResultPart } from '../../ports/model-shapes.ts';
import type { Outcome, SettlementError } from '../../ports/store.ts';
import type { FlueLogger } from '../logger.ts';

/** What the process lets its operators observe (EVT-01). Rows, envelope and shapes are stable under `v: 3`. */
export type FlueEvent = { [T in FlueEventType]: Envelope & { type: T } & Payloads[T] }[FlueEventType];

export type FlueEventType = keyof Payloads;

/** On every event; of the correlation what applies. */
export interface Envelope extends Correlation {
  v: 3;
  /** grows within one emitting context, which is one attempt or one admission (OBV-04) */
  eventIndex: number;
  /** ISO 8601 */
  timestamp: string;
}

/** Where an event belongs. */
export interface Correlation {
  instanceId?: string;
  submissionId?: string;
  agentName?: string;
  conversationId?: string;
  /** name of the conversation within its instance: `default`, `task:<taskId>`, or `harness:<conversationId>` */
  session?: string;
  parentSession?: string;
  taskId?: string;
  /** the harness that caused it: `default` in a tool, else the hook's name (HARN-02) */
  harness?: string;
  operationId?: string;
  turnId?: string;
}

export type OperationKind = 'prompt' | 'skill' | 'task' | 'shell' | 'compact';
export type TurnPurpose = PortRequest['purpose'];

/** What a model is sent. Image bytes are left out (EVT-07). */
export type LlmMessage = ModelMessage;
export type LlmAssistantMessage = Extract<ModelMessage, { role: 'assistant' }>;
export type LlmTool = ModelTool;

export interface ModelRequestInfo {
  /** the specifier's half, as written (EVT-09) */
  providerId: string;
  /** the same by the name that telemetry knows it by */
  providerName: string;
  requestedModel: string;
  api: string;
  serverAddress?: string;
  serverPort?: number;
  /** on `turn` the level that was really used (THINK-04); absent when none was sent */
  reasoningLevel?: string;
  maxTokens?: number;
  temperature?: number;
  /** the conversation starts with the summary of a compaction */
  contextCompacted?: true;
}

export interface ModelRequest extends ModelRequestInfo {
  input: { systemPrompt?: string; messages: readonly LlmMessage[]; tools?: readonly LlmTool[] };
}

export interface ModelResponse {
  responseId?: string;
  responseModel?: string;
  output?: LlmAssistantMessage;
  usage?: PromptUsage;
  finishReason?: string;
  providerFinishReason?: string;
  gatewayLogId?: string;
  error?: ErrorInfo;
}

/** A failure as observers see it, in this process only (OBS-01, OBS-03). */
export interface ErrorInfo {
  /** what kind of failure it is (OBS-02) */
  type: string;
  name?: string;
  code?: string;
  message?: string;
  meta?: JsonObject;
  stack?: string;
}

/** A failure in the shape that is recorded: without a stack. */
export type EventError = SettlementError;

interface Turn {
  turnId: string;
  purpose: TurnPurpose;
}

interface Operation {
  operationId: string;
  operationKind: OperationKind;
}

/** Names the durable record, so that telemetry can be joined to the conversation (EVT-11). */
interface Recorded {
  recordId?: string;
}

interface Payloads {
  agent_start: object;
  idle: object;
  /** `messages` are those of this run */
  agent_end: { messages: readonly LlmMessage[] };
  submission_queued: { submissionId: string; kind: 'dispatch' | 'direct' };
  submission_running: {
    submissionId: string;
    kind: 'dispatch' | 'direct';
    attemptCount: number;
    maxAttempts: number;
  };
  submission_settled: { submissionId: string; outcome: Outcome; error?: EventError };
  submission_recovery: {
    submissionId?: string;
    kind?: 'dispatch' | 'direct';
    operation: RecoveryOperation;
    outcome: 'deferred' | 'agent_unavailable' | 'terminated';
    attemptCount?: number;
    maxAttempts?: number;
    error?: EventError;
  };
  operation_start: Operation;
  operation: Operation & {
    durationMs: number;
    isError: boolean;
    error?: EventError;
    result?: JsonValue;
    usage?: PromptUsage;
  };
  turn_start: Turn;
  turn_request: Turn & { request: ModelRequest };
  turn: Turn &
    Recorded & { durationMs: number; request: ModelRequestInfo; response: ModelResponse; isError: boolean };
  turn_messages: Turn & { message: LlmMessage; toolResults: readonly LlmMessage[] };
  turn_retry: {
    turnId: string;
    /** the retry's number, from 1 */
    attempt: number;
    maxRetries: number;
    delayMs: number;
    reason: 'provider' | 'idle' | 'overflow';
    error: EventError;
  };
  message_start: { message: LlmMessage; turnId?: string };
  message_end: Recorded & { message: LlmMessage; turnId?: string };
  text_delta: { text: string };
  thinking_start: { contentIndex?: number };
  thinking_delta: { contentIndex?: number; delta: string };
  thinking_end: { contentIndex?: number; content: string };
  toolcall_delta: { toolCallId: string; toolName: string; argumentTextDelta: string };
  tool_start: { toolName: string; toolCallId: string };
  tool: Recorded & {
    toolName: string;
    toolCallId: string;
    isError: boolean;
    result?: JsonValue | readonly (ModelContent | ResultPart)[];
    durationMs: number;
  };
  task_start: { taskId: string; prompt: string; agent?: string; cwd?: string };
  task: { taskId: string; agent?: string; isError: boolean; result?: JsonValue; durationMs: number };
  environment_changed: { cwd: string; attached: boolean; tools: readonly string[] };
  compaction_start: { reason: 'threshold' | 'overflow' | 'manual'; estimatedTokens: number };
  compaction: {
    messagesBefore: number;
    messagesAfter: number;
    durationMs: number;
    isError: boolean;
    error?: EventError;
    usage?: PromptUsage;
  };
  log: { level: 'info' | 'warn' | 'error'; message: string; attributes?: JsonObject };
}

export type RecoveryOperation =
  | 'materialize_submission'
  | 'finalize_settlement'
  | 'reconcile_submission'
  | 'start_submission'
  | 'process_submission'
  | 'reconcile_pass'
  | 'enforce_deadline';

/** Details that are delivered to observers of this process, and never stored or sent (EVT-10). */
export interface ObservationDetails {
  /** of a finished prompt, skill or task */
  agentInput?: JsonValue;
  agentOutput?: JsonValue;
  /** on tool events: who called */
  origin?: 'model' | 'caller' | 'framework' | 'adapter';
  /** on tool events: the tool's */
  description?: string;
  /** on `tool_start` */
  args?: unknown;
  /** on a `tool` that succeeded */
  effectiveResult?: unknown;
  /** on a `task_start` that a tool call caused */
  toolCallId?: string;
  /** on failures */
  errorInfo?: ErrorInfo;
}

/** An event as it is delivered: detached, and deeply frozen (OBV-02). */
export type FlueObservation = FlueEvent & ObservationDetails;

/** What is emitted: the envelope is added by the context. */
export type EventBody = {
  [T in FlueEventType]: { type: T } & Payloads[T] & ObservationDetails;
}[FlueEventType];

/** What a subscriber gets beside each observation (OBV-06). */
export interface FlueEventContext {
  /** the instance id; empty for what belongs to no instance */
  readonly id: string;
  readonly agentName: string | undefined;
  /** the runtime's environment */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** of an attempt whose message came over HTTP to this process */
  readonly req: Request | undefined;
  /** its lines are `log` events, which this subscriber does not get back */
  readonly log: FlueLogger;
}

export type FlueObservationSubscriber = (
  observation: FlueObservation,
  ctx: FlueEventContext,
) => void | Promise<void>;
