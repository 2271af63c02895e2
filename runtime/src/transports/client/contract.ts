import type { SendCondition } from '../../app/send-condition.ts';
import type { DeliveredMessageInput } from '../../conversation/delivered-message.ts';
import type { AgentReply as RecordedReply } from '../../conversation/projections/reply.ts';
import type { AgentContract } from './agent-contract.ts';
import type { Chunk, ConversationSnapshot } from './conversation-types.ts';
import type { ConversationObservation, ObserveOptions } from './observe/observation-types.ts';

export interface AgentAccessor<C extends AgentContract> {
  readonly identity: C['identity'];
  /** The conversation of one instance. `uid` conditions the first contact: `null` creates only, a string continues only. */
  at(id: string, options?: { readonly uid?: null }): AgentConversation<C>;
  at(id: string, options: { readonly uid: string }): AgentConversation<C, ContinueInput>;
  /** A conversation under a new id, `instance_<ulid>`. */
  fresh(): AgentConversation<C>;
}

/** One instance of one agent: an address, which holds nothing open. */
export interface AgentConversation<C extends AgentContract, S = SendInput<C>> {
  readonly id: string;
  readonly identity: C['identity'];
  /**
   * Resolves once the message is durably admitted, before the agent runs. `signal` cancels the request only.
   *
   * @throws TypeError for a string `uid` together with `initialData`, before anything is sent (CLNT-05)
   */
  send(request: S, options?: { readonly signal?: AbortSignal }): Promise<SendReceipt>;
  /** `send` and `read` in one; `signal`, fired after the send, stops the instance's work durably (CLNT-09). */
  dispatch(request: S, options?: ReadOptions<C>): Promise<AgentReply<C>>;
  /**
   * The reply of a delivery, at once when it is settled. `signal` ends the read and nothing else.
   *
   * @throws AgentRunError when it failed or was aborted (CLNT-07)
   */
  read(target: SendReceipt | string, options?: ReadOptions<C>): Promise<AgentReply<C>>;
  /** As `read`, without the reply. */
  wait(target: SendReceipt | string, options?: ReadOptions<C>): Promise<void>;
  /** Stops the instance's work, or one submission's; resolves once the intent is durable (STOP-01, STOP-03). */
  abort(options?: {
    readonly submissionId?: string;
    readonly signal?: AbortSignal;
  }): Promise<{ aborted: boolean }>;
  /**
   * Asks for a compaction, at once when the conversation is idle, else at the next turn boundary. Resolves once the
   * request is durable; the conversation shows what comes of it (HND-21, STOP-05).
   */
  compact(options?: {
    /** what the summary should pay attention to, at most 4,000 characters */
    readonly instructions?: string;
    readonly signal?: AbortSignal;
  }): Promise<{ requested: true }>;
  /**
   * The conversation as it stands. Over HTTP an unchanged one costs a 304, and files have a `url` (CLNT-10).
   *
   * @throws FlueApiError, or in process a `FlueError`, of type `stream_not_found` for an instance that nobody wrote to
   */
  history(options?: HistoryOptions): Promise<ConversationSnapshot<C>>;
  /** The conversation as it changes. Reads nothing before the first `subscribe` (OBSV-01). */
  observe(options?: ObserveOptions): ConversationObservation<C>;
  /** The bytes of one attachment, fetched with the client's own credentials (CLNT-10). */
  attachment(id: string): Promise<Attachment>;
}

export interface HistoryOptions {
  /** the newest so many messages, 1 to 500; default: all (HIST-12) */
  readonly limit?: number;
  /** `window.previousCursor` of a snapshot: the page before it; needs `limit` */
  readonly before?: string;
  readonly signal?: AbortSignal;
}

export interface Attachment {
  readonly bytes: Uint8Array;
  /** as it was delivered, such as `image/png` */
  readonly mimeType: string;
}

export type InitialData<C extends AgentContract> = C['initialData'];

interface Delivery {
  readonly message: DeliveredMessageInput;
  /** a repeat with the same content is admitted once (DSP-11) */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export type SendInput<C extends AgentContract> = string | (Delivery & SendCondition<InitialData<C>>);

export type ContinueInput = string | (Delivery & { readonly initialData?: undefined });

export interface ReadOptions<C extends AgentContract> {
  readonly signal?: AbortSignal;
  /** gets every recorded chunk of the work once, in order; a promise it returns is awaited before the next (HND-09) */
  readonly onEvent?: (chunk: Chunk<C>) => void | Promise<void>;
}

export interface SendReceipt {
  readonly submissionId: string;
  /** ISO 8601 */
  readonly acceptedAt: string;
  /** of the incarnation contacted */
  readonly uid?: string;
  readonly deduplicated?: true;
  /** over HTTP: where the server says the conversation is; never dialed (CLNT-03) */
  readonly streamUrl?: string;
  /** over HTTP: reading from here shows all that the message causes */
  readonly offset?: string;
}

export interface AgentReply<C extends AgentContract> extends Omit<RecordedReply, 'data'> {
  /** every write by name, in order (TCLI-08) */
  data: { [N in keyof C['data']]?: C['data'][N][] };
}
