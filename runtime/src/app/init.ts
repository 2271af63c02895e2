import { ulid } from 'ulidx';
import type { DeliveredMessageInput } from '../conversation/delivered-message.ts';
import type { LiveChunk } from '../conversation/projections/chunk.ts';
import type { AgentReply } from '../conversation/projections/reply.ts';
import type { Agent } from '../engine/agent.ts';
import type { DispatchReceipt } from '../engine/dispatch-receipt.ts';
import { currentUnit } from '../engine/unit.ts';
import { misuse } from '../errors/flue-error.ts';
import { InvalidRequestError } from '../errors/invalid-request-error.ts';
import { AgentRunError } from './agent-run-error.ts';
import { assertAgent, resolveAgent } from './dispatch.ts';
import { followSubmission } from './reader.ts';
import { rebuildError } from './rebuild-error.ts';
import { type Admitted, type FlueRuntime, instancePath, type Send } from './runtime.ts';
import type { InitialDataOf } from './send-condition.ts';

export interface InitOptions {
  /** the instance; omitted, a fresh one is minted at first use */
  id?: string;
  /** condition of the first contact only (HND-04) */
  uid?: string | null;
}

/** What a handle sends: `initialData` is `never` where it continues one incarnation (CND-04). */
export interface AgentHandleDispatchRequest<D = unknown> {
  message: DeliveredMessageInput;
  /** consulted only by the send that creates the instance (DSP-05, DSP-06) */
  initialData?: D;
  /** 1 to 256 characters; a repeat with the same content is admitted once (DSP-10, DSP-11) */
  idempotencyKey?: string;
}

export interface AgentDispatchOptions {
  /**
   * Gets every recorded chunk of the work once, in order, and between them what the agent logs in this process (RCD-14).
   * A promise that it returns is awaited before the next chunk (HND-09).
   */
  onEvent?: (chunk: LiveChunk) => unknown;
  /** fired after the send, it stops the instance's work durably; the call then rejects with that settlement (HND-10) */
  signal?: AbortSignal;
}

/** `D` is what creates an instance: the input of the agent's `initialData` (TCLI-15). */
export interface AgentInstanceHandle<D = unknown> {
  readonly id: string;
  /** Delivers one message and resolves with the settled reply; rejects with `AgentRunError` (HND-06, HND-08). */
  dispatch(
    request: string | AgentHandleDispatchRequest<D>,
    options?: AgentDispatchOptions,
  ): Promise<AgentReply>;
  /** The reply of an earlier delivery, from any process at any later time (HND-13). */
  read(target: DispatchReceipt | string, options?: AgentDispatchOptions): Promise<AgentReply>;
  /** Records the intent to stop the instance's work, or one submission's (HND-17). */
  abort(options?: { submissionId?: string }): Promise<{ aborted: boolean }>;
  /**
   * Asks for a compaction of the conversation, at once when idle, else at the next turn boundary. Resolves once the
   * request is durable; the conversation shows what comes of it (HND-21). A `signal` that has fired asks for nothing.
   */
  compact(options?: CompactOptions): Promise<{ requested: true }>;
}

export interface CompactOptions {
  /** what the summary should pay attention to, at most 4,000 characters */
  instructions?: string;
  signal?: AbortSignal;
}

/**
 * The client of one agent instance: an address, not a resource. Creates nothing and does no I/O; the runtime is
 * resolved when a method is called, so it may stand at module scope (HND-01).
 */
export function init<A extends Agent>(
  agent: A,
  options?: InitOptions & { uid?: null },
): AgentInstanceHandle<InitialDataOf<A>>;
/** A `uid` that may be a string continues, so there is nothing to create. */
export function init(agent: Agent, options: InitOptions): AgentInstanceHandle<never>;
export function init(agent: Agent, options: InitOptions = {}): AgentInstanceHandle {
  assertAgent(agent);
  if (options.id !== undefined && (typeof options.id !== 'string' || options.id.trim() === '')) {
    throw misuse('init() needs a non-empty string as id, or none for a fresh instance.', 'FLUE4002');
  }
  let id = options.id;
  let condition = options.uid;
  let contacted = false;
  let admissions: Promise<unknown> = Promise.resolve();

  const address = (): string => {
    id ??= `instance_${ulid()}`;
    return id;
  };

  /** Admissions of one handle keep the order of their calls, so only the first carries the condition (HND-05). */
  function admit(
    runtime: FlueRuntime,
    identity: string,
    request: AgentHandleDispatchRequest,
  ): Promise<Admitted> {
    const admission = admissions.then(async () => {
      const { message, idempotencyKey } = request;
      const initialData = contacted ? undefined : request.initialData;
      const send: Send = {
        kind: 'dispatch',
        id: address(),
        message,
        initialData,
        uid: condition,
        idempotencyKey,
      };
      const admitted = await runtime.admit(identity, send);
      contacted = true;
      condition = admitted.uid;
      return admitted;
    });
    admissions = admission.catch(() => {});
    return admission;
  }

  return {
    get id() {
      return address();
    },
    async dispatch(request, { onEvent, signal } = {}) {
      const { runtime, identity } = resolveAgent(agent, 'handle.dispatch()');
      const payload = payloadOf(request);
      signal?.throwIfAborted();
      refuseSelfSend(instancePath(identity, address()));
      const admitted = await admit(runtime, identity, payload);
      const stop = () => void runtime.abort(identity, address()).catch(() => {});
      signal?.addEventListener('abort', stop, { once: true });
      if (signal?.aborted) stop();
      try {
        return await settledReply(runtime, instancePath(identity, address()), admitted.submissionId, {
          admitted,
          ...(onEvent && { onEvent }),
        });
      } finally {
        signal?.removeEventListener('abort', stop);
      }
    },
    async read(target, o = {}) {
      const { runtime, identity } = resolveAgent(agent, 'handle.read()');
      return settledReply(runtime, instancePath(identity, address()), targetOf(target), o);
    },
    async abort(o = {}) {
      const { runtime, identity } = resolveAgent(agent, 'handle.abort()');
      return runtime.abort(identity, address(), o);
    },
    async compact({ instructions, signal } = {}) {
      const { runtime, identity } = resolveAgent(agent, 'handle.compact()');
      signal?.throwIfAborted();
      return runtime.compact(identity, address(), instructions === undefined ? {} : { instructions });
    },
  };
}

async function settledReply(
  runtime: FlueRuntime,
  path: string,
  submissionId: string,
  { onEvent, signal, admitted }: AgentDispatchOptions & { readonly admitted?: Admitted },
): Promise<AgentReply> {
  const reading = await followSubmission(runtime, path, submissionId, {
    onEvent,
    signal,
    admitted,
    onEventFailed: (error) => runtime.logFailure(error, { operation: 'onEvent', submission: submissionId }),
  });
  if (reading.reply) return reading.reply;
  const { outcome, error } = reading.settlement!;
  throw new AgentRunError({
    outcome: outcome === 'aborted' ? 'aborted' : 'failed',
    submissionId,
    ...(error && { cause: rebuildError(error) }),
  });
}

function payloadOf(request: unknown): AgentHandleDispatchRequest {
  if (typeof request === 'string') return { message: request };
  if (typeof request !== 'object' || request === null || !('message' in request)) {
    throw new InvalidRequestError({
      field: 'request',
      rule: 'must be a string or an object with message',
      code: 'FLUE4006',
    });
  }
  for (const field of ['id', 'uid']) {
    if (field in request) {
      const rule = 'belongs to the handle: pass it to init(agent, { id, uid })';
      throw new InvalidRequestError({ field, rule, code: 'FLUE4006' });
    }
  }
  return request as AgentHandleDispatchRequest;
}

function targetOf(target: DispatchReceipt | string): string {
  const submissionId = typeof target === 'string' ? target : target?.dispatchId;
  if (typeof submissionId === 'string' && submissionId !== '') return submissionId;
  throw misuse('handle.read() needs a receipt or a submission id.');
}

/** A tool that awaits the reply of its own instance would wait for itself (HND-12). */
function refuseSelfSend(path: string): void {
  if (currentUnit()?.instance !== path) return;
  throw misuse(
    'this awaited send goes to the instance that is running it, which cannot answer before it ends. Use dispatch() without waiting, or another instance.',
    'FLUE4007',
  );
}
