import type { DeliveredMessage, DeliveredMessageInput } from '../../conversation/delivered-message.ts';
import type { ConversationSnapshot, LiveChunk } from '../../conversation/projections/chunk.ts';
import type { AgentReply } from '../../conversation/projections/reply.ts';
import type { Attachment, SendReceipt } from './contract.ts';
import { locateFiles } from './file-urls.ts';
import { type Observation, observeConversation } from './observe/observation.ts';
import type { ObserveOptions } from './observe/observation-types.ts';
import type { CompactOptions, ConversationTransport, HistoryRead, OutgoingSend } from './transport.ts';

/** Where a conversation is; `uid` is the condition of its first contact. */
export interface Address {
  readonly identity: string;
  readonly id: string;
  readonly uid?: string | null | undefined;
}

/** A send as callers write it, before generated types narrow it to one agent. */
export type SendRequest = string | SendFields;

interface SendFields {
  readonly message: DeliveredMessageInput;
  readonly initialData?: unknown;
  readonly uid?: string | null | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Options {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((chunk: LiveChunk) => unknown) | undefined;
}

export interface Conversation {
  readonly id: string;
  readonly identity: string;
  send(request: SendRequest, options?: Pick<Options, 'signal'>): Promise<SendReceipt>;
  dispatch(request: SendRequest, options?: Options): Promise<AgentReply>;
  read(target: SendReceipt | string, options?: Options): Promise<AgentReply>;
  wait(target: SendReceipt | string, options?: Options): Promise<void>;
  abort(options?: { readonly submissionId?: string; readonly signal?: AbortSignal }): Promise<{
    aborted: boolean;
  }>;
  compact(options?: CompactOptions): Promise<{ requested: true }>;
  history(options?: HistoryRead): Promise<ConversationSnapshot>;
  observe(options?: ObserveOptions): Omit<Observation, 'contacted'>;
  attachment(id: string): Promise<Attachment>;
}

/** One conversation over any transport: what it pins, orders and refuses does not depend on how it is reached. */
export function openConversation(
  { identity, id, uid }: Address,
  transport: ConversationTransport,
): Conversation {
  /** the incarnation first contacted; later sends of this conversation go to no other (HND-04) */
  let pinned: string | undefined;
  let admissions: Promise<unknown> = Promise.resolve();
  const observations = new Set<Observation>();

  /** Admissions keep the order of their calls, so only the first carries the condition (HND-05). */
  function admit(fields: SendFields, signal: AbortSignal | undefined): Promise<SendReceipt> {
    const admission = admissions.then(async () => {
      signal?.throwIfAborted();
      const receipt = await transport.send(outgoing(fields, pinned, uid), signal);
      pinned ??= receipt.uid;
      for (const observation of observations) observation.contacted();
      return receipt;
    });
    admissions = admission.catch(() => {});
    return admission;
  }

  const reply = async (target: SendReceipt | string, options: Options) => {
    requireTarget(target);
    options.signal?.throwIfAborted();
    return transport.reply(target, options);
  };

  return {
    id,
    identity,
    async send(request, options = {}) {
      const fields = fieldsOf(request);
      refuseContradiction(fields, uid);
      return admit(fields, options.signal ?? fields.signal);
    },
    async dispatch(request, options = {}) {
      const fields = fieldsOf(request);
      refuseContradiction(fields, uid);
      const signal = options.signal ?? fields.signal;
      signal?.throwIfAborted();
      transport.assertAnswerable?.();
      const receipt = await admit(fields, undefined);
      const stop = () => void transport.abort({}).catch(() => {});
      signal?.addEventListener('abort', stop, { once: true });
      if (signal?.aborted) stop();
      try {
        return await transport.reply(receipt, { onEvent: options.onEvent });
      } finally {
        signal?.removeEventListener('abort', stop);
      }
    },
    read: (target, options = {}) => reply(target, options),
    wait: async (target, options = {}) => void (await reply(target, options)),
    abort: async (options = {}) => transport.abort(options),
    async compact(options = {}) {
      options.signal?.throwIfAborted();
      return transport.compact(options);
    },
    async history(options = {}) {
      const snapshot = await transport.history(options);
      for (const message of snapshot.messages) locateFiles(message, transport.fileUrl);
      return snapshot;
    },
    observe(options) {
      const observation = observeConversation(transport, options);
      observations.add(observation);
      const forget = () => void observations.delete(observation);
      options?.signal?.addEventListener('abort', forget, { once: true });
      return {
        ...observation,
        close(reason) {
          forget();
          observation.close(reason);
        },
      };
    },
    async attachment(attachmentId) {
      if (typeof attachmentId === 'string' && attachmentId !== '') return transport.attachment(attachmentId);
      throw new TypeError('attachment() needs the id of a file part.');
    },
  };
}

function outgoing(
  { message, initialData, uid, idempotencyKey }: SendFields,
  pinned: string | undefined,
  condition: string | null | undefined,
): OutgoingSend {
  const chosen = uid !== undefined ? uid : (pinned ?? condition);
  // What creates an instance says nothing to one that is known to exist (HND-04).
  const creates = pinned === undefined && initialData !== undefined;
  return {
    message: expanded(message),
    ...(creates && { initialData }),
    ...(chosen !== undefined && { uid: chosen }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}

function expanded(message: DeliveredMessageInput): DeliveredMessage {
  return typeof message === 'string' ? { kind: 'user', body: message } : message;
}

function fieldsOf(request: SendRequest): SendFields {
  if (typeof request === 'string') return { message: request };
  if (typeof request === 'object' && request !== null && 'message' in request) return request;
  throw new TypeError('A send needs a string or an object with message.');
}

/** Continuing one incarnation forbids creating, so the data could only be lost (CLNT-05). */
function refuseContradiction({ uid, initialData }: SendFields, condition: string | null | undefined): void {
  const chosen = uid === undefined ? condition : uid;
  if (typeof chosen !== 'string' || initialData === undefined) return;
  throw new TypeError(
    'initialData cannot be sent with a string uid: that continues an instance which exists. Leave one of them out.',
  );
}

function requireTarget(target: unknown): void {
  const id = typeof target === 'string' ? target : (target as Partial<SendReceipt> | null)?.submissionId;
  if (typeof id === 'string' && id !== '') return;
  throw new TypeError('read() and wait() need a receipt or a submission id.');
}
