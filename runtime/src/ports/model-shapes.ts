import type { AttachmentRef } from './store.ts';

/**
 * What a model said and was told, in our own shapes (records section 2): stored as they are, so that another version
 * of the model library, or another library, reads the same conversations.
 */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** What produced a message; signatures hold for an equal one only (RCD-18). */
export interface ModelRef {
  provider: string;
  id: string;
  api: string;
}

/** `part` is the place in the response's parts; a block without text has none (RCD-15). */
export interface TextPart {
  type: 'text';
  text: string;
  part?: number;
  sig?: string;
}

export interface ThinkingPart {
  type: 'thinking';
  text: string;
  part?: number;
  sig?: string;
  redacted?: true;
}

export interface CallPart {
  type: 'call';
  id: string;
  tool: string;
  /** the argument text exactly as streamed (TURN-08) */
  args: string;
  /** whether the arguments passed the tool's schema of that turn's render (HIST-10) */
  valid: boolean;
  part: number;
  sig?: string;
  replay?: JsonObject;
}

export type AssistantPart = TextPart | ThinkingPart | CallPart;

export type ResultPart = { type: 'text'; text: string } | { type: 'image'; attachment: AttachmentRef };

export type Stop = 'stop' | 'toolUse' | 'length' | 'error' | 'aborted';

/** Classified when it is recorded, so that recovery judges data (RCD table of section 2). */
export interface Fault {
  class: 'transient' | 'overflow' | 'terminal';
  message: string;
  /** stable code such as `auth` or `context_overflow` */
  reason?: string;
  status?: number;
}

/** Tokens and cost, all numbers >= 0 (USAGE-01). */
export interface PromptUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

/** `[name, '<algorithm>:<hex>']`; digests of different algorithms compare as equal (RCD-17). */
export type ResourceEntry = [name: string, digest: string];

/** What the model was last told it has (RCD-32). */
export interface Resources {
  /** digest of the instruction document, `''` without one */
  instructions: string;
  tools: ResourceEntry[];
  skills: ResourceEntry[];
  subagents: ResourceEntry[];
  environment: { attached: boolean; cwd: string; generation?: string };
}
