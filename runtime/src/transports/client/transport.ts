import type { DeliveredMessage } from '../../conversation/delivered-message.ts';
import type { ConversationSnapshot, LiveChunk } from '../../conversation/projections/chunk.ts';
import type { AgentReply } from '../../conversation/projections/reply.ts';
import type { Attachment, SendReceipt } from './contract.ts';
import type { ObserveTiming } from './observe/observe-timing.ts';

/** One delivery as it leaves the conversation, its shorthand expanded. */
export interface OutgoingSend {
  readonly message: DeliveredMessage;
  readonly initialData?: unknown;
  readonly uid?: string | null;
  readonly idempotencyKey?: string;
}

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((chunk: LiveChunk) => unknown) | undefined;
}

export interface CompactOptions {
  readonly instructions?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HistoryRead {
  readonly limit?: number | undefined;
  readonly before?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What one network read brought of a live conversation. */
export interface LiveNews {
  readonly chunks: readonly LiveChunk[];
  /** all before it was brought; absent while more is to come */
  readonly offset?: string | undefined;
  readonly incarnation?: string | undefined;
  readonly upToDate: boolean;
}

export interface LiveRead {
  /** reading begins after it */
  readonly offset: string;
  /** `page`: what is there, at once */
  readonly live: 'sse' | 'long-poll' | 'page';
  readonly signal: AbortSignal;
  readonly timing: Pick<ObserveTiming, 'timer'>;
  /** the credentials given last were refused */
  readonly refresh: boolean;
  /** an answer began */
  opened(): void;
  /** may throw, which ends the read with that */
  receive(news: LiveNews): void;
}

/** `page`: read on at once. `closing`: planned by the server. `ended`: cut off. */
export type LiveEnd =
  | { readonly kind: 'page' | 'ended' }
  | { readonly kind: 'closing'; readonly retryAfterMs: number };

/** How one conversation reaches its instance. Everything else is the same over every transport (TCLI-14). */
export interface ConversationTransport {
  send(send: OutgoingSend, signal: AbortSignal | undefined): Promise<SendReceipt>;
  /** Resolves with the settled reply; rejects with an `AgentRunError` when there is none. */
  reply(target: SendReceipt | string, options: FollowOptions): Promise<AgentReply>;
  abort(options: {
    readonly submissionId?: string | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<{ aborted: boolean }>;
  compact(options: CompactOptions): Promise<{ requested: true }>;
  /** With `attempt` it is tried once, whoever asks repeats it. */
  history(read: HistoryRead, attempt?: { readonly refresh: boolean }): Promise<ConversationSnapshot>;
  /** Brings what happens after an offset until the connection ends; rejects where it could not be had. */
  follow(read: LiveRead): Promise<LiveEnd>;
  attachment(id: string): Promise<Attachment>;
  /** where a file's bytes are, if anywhere */
  fileUrl(id: string): string | undefined;
  /** Throws where a send whose reply is awaited could never be answered (HND-12). */
  assertAnswerable?(): void;
}

/** What `connect()` is given to reach agents by their identity. */
export interface AgentTransport {
  conversation(identity: string, id: string): ConversationTransport;
}
