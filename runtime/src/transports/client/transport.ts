import type { DeliveredMessage } from '../../conversation/delivered-message.ts';
import type { Chunk } from '../../conversation/projections/chunk.ts';
import type { AgentReply } from '../../conversation/projections/reply.ts';
import type { SendReceipt } from './contract.ts';

/** One delivery as it leaves the conversation, its shorthand expanded. */
export interface OutgoingSend {
  readonly message: DeliveredMessage;
  readonly initialData?: unknown;
  readonly uid?: string | null;
  readonly idempotencyKey?: string;
}

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((chunk: Chunk) => unknown) | undefined;
}

export interface CompactOptions {
  readonly instructions?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

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
  /** Throws where a send whose reply is awaited could never be answered (HND-12). */
  assertAnswerable?(): void;
}

/** What `connect()` is given to reach agents by their identity. */
export interface AgentTransport {
  conversation(identity: string, id: string): ConversationTransport;
}
