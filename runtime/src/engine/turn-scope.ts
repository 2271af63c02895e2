import type { ExecutionSettings, ModelSettings } from '../contract/limits.ts';
import type { DeliveredMessageInput } from '../conversation/delivered-message.ts';
import type { FlueError } from '../errors/flue-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { ModelGateway, ModelInfo } from '../ports/model-gateway.ts';
import type { Agent } from './agent.ts';
import type { CompactionLimits } from './compaction/limits.ts';
import type { SummaryPorts } from './compaction/summarize.ts';
import type { DataParts } from './data-parts.ts';
import type { DispatchReceipt } from './dispatch-receipt.ts';
import type { Trace } from './events/trace.ts';
import type { ModelChoice } from './hooks/frame.ts';
import type { StateBuffer } from './hooks/state-buffer.ts';
import type { LogLine } from './logger.ts';
import type { AttachmentData } from './model-context.ts';
import type { ModelStep } from './model-step.ts';
import type { Environments } from './sandbox/environments.ts';
import type { Workspace } from './sandbox/workspace.ts';
import type { Sink } from './sink.ts';

/** What an attempt decides for every conversation that turns are taken in. */
export interface Pace {
  /**
   * Waits until the next turn of a conversation may start; `false` when none may start any more.
   * @param serverWait what the provider asked for after a failure, milliseconds
   */
  next(turns: Pick<ConversationScope, 'conv' | 'signal'>, serverWait: number): Promise<boolean>;
  /** Resolves when a step may start; rejects when this process may start nothing any more (OWN-07). */
  mayStart(): Promise<void>;
  /** What a failed model call ends its work with; `undefined` when it is to be tried again. Asked before it is recorded. */
  failure(conv: number, step: Extract<ModelStep, { kind: 'message' }>): FlueError | undefined;
}

/** What compactions of one conversation go by. */
export interface ConversationCompaction {
  readonly limits: CompactionLimits;
  /** who writes the summaries */
  readonly model: SummaryPorts['model'];
}

/** What the turns of one conversation share. */
export interface ConversationScope {
  readonly sink: Sink;
  /** the agent's, or the delegate's name */
  readonly identity: string;
  readonly path: string;
  readonly conv: number;
  /** of a delegate: the system prompt after its instructions. The root's is its baseline */
  readonly prompt?: string;
  /** the submission whose response this is */
  readonly host: string;
  /** read from the attempt's initialization render, and constant for the attempt (SPEC-10) */
  readonly model: { readonly choice: ModelChoice; readonly info: ModelInfo };
  readonly compaction: ConversationCompaction;
  /** where its tools work; the root's follows the agent's declaration */
  readonly workspace: Workspace;
  readonly values: StateBuffer;
  readonly gateway: ModelGateway;
  readonly clock: Clock;
  readonly settings: ExecutionSettings;
  readonly modelSettings: ModelSettings;
  /** epoch milliseconds by which the submission must have settled (BUD-05) */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** bytes of the attachments that the conversation shows, already loaded */
  readonly attachment: AttachmentData;
  readonly loadAttachments: () => Promise<void>;
  /** for observers */
  readonly emitLog: (line: LogLine) => void;
  /** what the agent's own code logs: for observers, and in the root for live readers (RCD-14) */
  readonly emitProgress: (line: LogLine) => void;
  readonly trace: Trace;
  readonly pace: Pace;
}

/** What the turns of one attempt share. */
export interface TurnScope extends ConversationScope {
  readonly agent: Agent;
  readonly id: string;
  readonly data: DataParts;
  readonly environments: Environments;
  /** the names that the initialization render declared; every other render declares the same ones (DATA-02) */
  readonly dataParts: readonly string[];
  readonly dispatch: (message: DeliveredMessageInput) => Promise<DispatchReceipt>;
}
