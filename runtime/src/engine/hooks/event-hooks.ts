import type { HookName } from '../../contract/hook-table.ts';
import type { PromptUsage } from '../../ports/model-shapes.ts';
import type { FlueLogger } from '../logger.ts';
import type { FlueHarness } from '../tools/tool-definition.ts';

/** A signal that a callback adds to the conversation. It is no delivery: no start seam follows it (START-03). */
export interface AgentAppendMessage {
  kind: 'signal';
  /** not empty, and none of the reserved types */
  type: string;
  body: string;
  attributes?: Record<string, string>;
  /** an XML name, default `signal` */
  tagName?: string;
}

export interface AgentResponseToolCall {
  tool: string;
  isError: boolean;
}

/** What the response has come to, over all its turns and attempts (FIN-04). */
export interface AgentResponse {
  /** every call that has an outcome, in the order of the outcomes */
  readonly toolCalls: readonly AgentResponseToolCall[];
  readonly usage: PromptUsage;
  /** of the last assistant message, `''` without one */
  readonly text: string;
}

/** What a `useAgentStart()` callback gets. */
export interface AgentStartContext {
  /** Adds a signal in front of the next model call; throws for a bad one, and once the callback has settled (SEAM-06). */
  append(message: AgentAppendMessage): void;
  /** the agent's model and environment, for this callback alone; named as the hook (SEAM-04) */
  readonly harness: FlueHarness;
  /** fires when the submission is stopped or out of time */
  readonly signal: AbortSignal;
  /** lines for observers, which the model never sees */
  readonly log: FlueLogger;
}

/** What a `useAgentFinish()` callback gets. */
export interface AgentFinishContext extends AgentStartContext {
  readonly response: AgentResponse;
}

/** What a `useResponseStart()` callback gets. */
export interface ResponseStartContext {
  /** merged so far, a copy (RESP-05) */
  readonly metadata: Record<string, unknown>;
  readonly log: FlueLogger;
}

/** What a `useResponseFinish()` callback gets; `response` is final. */
export interface ResponseFinishContext extends ResponseStartContext {
  readonly response: AgentResponse;
}

/** Synchronous. What it returns is merged into the metadata of the response's message (RESP-04). */
export type ResponseMetadataCallback<C> = (context: C) => Record<string, unknown> | void;

/** The callbacks of the four event hooks. */
export interface EventCallbacks {
  useAgentStart: (context: AgentStartContext) => void | Promise<void>;
  useAgentFinish: (context: AgentFinishContext) => void | Promise<void>;
  useResponseStart: ResponseMetadataCallback<ResponseStartContext>;
  useResponseFinish: ResponseMetadataCallback<ResponseFinishContext>;
}
export type EventHook = keyof EventCallbacks & HookName;

/** The callbacks that one render declared, by hook and in call order: their place is their identity (HOOK-07). */
export type EventHooks = { readonly [H in EventHook]: EventCallbacks[H][] };
