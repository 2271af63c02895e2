/** One scripted answer of the wire server, in no protocol's own words. */
export interface WireAnswer {
  /** pieces of thinking text, and the signature that lets it be sent back */
  readonly thinking?: { readonly pieces: readonly string[]; readonly signature: string };
  readonly text?: readonly string[];
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly pieces: readonly string[];
  }[];
  /** default: `toolUse` with calls, `stop` without */
  readonly stop?: 'stop' | 'toolUse' | 'length';
  readonly usage?: WireUsage;
  /** how it ends: as it should, without a finish, by a cut connection, by an error event, or never */
  readonly end?: 'complete' | 'unfinished' | 'cut' | 'overloaded' | 'silent';
}

export interface WireUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
}

/** An answer that is no stream: a status and an error body in the protocol's own form. */
export interface WireFailure {
  readonly failure: WireFailureKind;
  readonly headers?: Readonly<Record<string, string>>;
  /** added to the provider's message */
  readonly text?: string;
}
export type WireFailureKind =
  | 'rate_limit'
  | 'quota'
  | 'server'
  | 'overloaded'
  | 'auth'
  | 'invalid'
  | 'too_long';

export interface SseEvent {
  readonly event?: string;
  readonly data: unknown;
}

/** What a request asked for, read out of the protocol's body. */
export interface WireAsked {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
    readonly strict: unknown;
  }[];
  readonly userTexts: readonly string[];
  readonly images: number;
  /** calls of earlier turns, with their arguments parsed */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[];
  readonly results: readonly { readonly id: string; readonly text: string }[];
  /** signatures of thinking that is sent back */
  readonly signatures: readonly string[];
  readonly maxTokens: number | undefined;
  /** the body's own field that asks for reasoning, if any */
  readonly reasoning: unknown;
}

export interface WireProtocol {
  readonly api: string;
  /** path of the endpoint below the server's address */
  readonly path: string;
  stream(answer: WireAnswer, model: string): SseEvent[];
  fail(kind: WireFailureKind, text: string): { readonly status: number; readonly body: unknown };
  read(body: Record<string, unknown>): WireAsked;
}

export function stopOf(answer: WireAnswer): 'stop' | 'toolUse' | 'length' {
  return answer.stop ?? (answer.calls && answer.calls.length > 0 ? 'toolUse' : 'stop');
}

/** Whether the finishing events follow the content. */
export function isFinished(answer: WireAnswer): boolean {
  return (answer.end ?? 'complete') === 'complete';
}

export type Json = Record<string, unknown>;

export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value : [];
}
