import type { AgentContract } from '../agent-contract.ts';
import type {
  ConversationMessage,
  ConversationSnapshot,
  DataName,
  ToolName,
  ToolPart,
} from '../conversation-types.ts';

export interface ObserveOptions {
  /** how changes come over HTTP; default `sse` (OBSV-01) */
  readonly live?: 'sse' | 'long-poll';
  /** begin with the newest so many messages, 1 to 500; default: all */
  readonly limit?: number;
  /** closes the observation */
  readonly signal?: AbortSignal;
}

/**
 * `loading` before anything is known, `connecting` while changes are not followed, `live` while they are, `absent` where
 * nobody wrote to the instance yet, `error` when it was given up, `closed` at the end (OBSV-02).
 */
export type ObservationPhase = 'loading' | 'connecting' | 'live' | 'absent' | 'error' | 'closed';

export interface ObservationSnapshot<C extends AgentContract> {
  /** messages and parts that did not change are the same objects as before (OBSV-08) */
  readonly conversation: ConversationSnapshot<C> | undefined;
  /** up to which changes are applied */
  readonly offset: string | undefined;
  readonly phase: ObservationPhase;
  /** why it was given up; only in phase `error` */
  readonly error: Error | undefined;
}

/** A conversation as it changes; `getSnapshot` and `subscribe` fit `useSyncExternalStore` (OBSV-01). */
export interface ConversationObservation<C extends AgentContract> {
  /** the same object until something was published */
  getSnapshot(): ObservationSnapshot<C>;
  /** Begins to read with the first subscription; ending the last one does not stop it (OBSV-02). */
  subscribe(listener: () => void): () => void;
  /**
   * Is called once for every state that a call of this tool reaches after the observation began, with the part as it is
   * then; broken connections repeat nothing, and of what happened meanwhile the latest state is told (TCLI-11).
   */
  onTool<const N extends ToolName<C>>(
    name: N,
    listener: (part: ToolPart<C, N>, message: ConversationMessage<C>) => void,
  ): () => void;
  /** The same for the writes of a data part: gets the value written. */
  onData<const N extends DataName<C>>(
    name: N,
    listener: (data: C['data'][N], message: ConversationMessage<C>) => void,
  ): () => void;
  /** Reads the conversation anew, with a fresh budget of failures (OBSV-05). */
  refresh(): void;
  /** Puts the page before the oldest message in front; nothing when there is none (HIST-12). */
  loadOlder(): Promise<void>;
  /** Ends it for good; `reason` is what a `loadOlder` that is under way rejects with. */
  close(reason?: unknown): void;
}
