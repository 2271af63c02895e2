import type { DeliveredMessageInput } from '../conversation/delivered-message.ts';
import type { Agent } from '../engine/agent.ts';
import type { DispatchReceipt } from '../engine/dispatch-receipt.ts';
import { misuse } from '../errors/flue-error.ts';
import { InvalidRequestError } from '../errors/invalid-request-error.ts';
import { validateInstanceId } from './admission/admit.ts';
import { requireRuntime } from './current.ts';
import { type Admitted, type FlueRuntime, instancePath } from './runtime.ts';
import type { InitialDataOf, SendCondition } from './send-condition.ts';

/**
 * `uid`: a string continues that incarnation only, `null` creates only, omitted either (CND-01..03). `initialData` is
 * consulted only by the send that creates the instance (DSP-05, DSP-06); its type is the input of the agent's schema.
 */
export type AgentDispatchRequest<A extends Agent = Agent> = AddressedMessage &
  SendCondition<InitialDataOf<A>>;

interface AddressedMessage {
  /** the instance; created on first contact */
  id: string;
  message: DeliveredMessageInput;
  /** 1 to 256 characters; a repeat with the same content is admitted once (DSP-10, DSP-11) */
  idempotencyKey?: string;
}

/**
 * Delivers one message to one agent instance and resolves once it is admitted and queued; never waits for a model
 * (DSP-01). Rejects with `InvalidRequestError` for a malformed message, with the conditional errors of CND-02 and
 * CND-03, and with a plain `Error` for a missing runtime, an unregistered agent and a blank id.
 */
export async function dispatch<A extends Agent>(
  agent: A,
  request: AgentDispatchRequest<A>,
): Promise<DispatchReceipt> {
  const { runtime, identity } = resolveAgent(agent, 'dispatch()');
  const { id, message, initialData, uid, idempotencyKey } = requestObject(request);
  const admitted = await runtime.admit(identity, {
    kind: 'dispatch',
    id,
    message,
    initialData,
    uid,
    idempotencyKey,
  });
  return receiptOf(admitted);
}

/** What `useDispatchMessage()` calls: `dispatch()` to an instance that is known to exist (DMSG-01). */
export async function dispatchWithin(
  instance: { readonly identity: string; readonly id: string },
  message: DeliveredMessageInput,
): Promise<DispatchReceipt> {
  const runtime = requireRuntime('The dispatcher of useDispatchMessage()');
  return receiptOf(await runtime.admit(instance.identity, { kind: 'dispatch', id: instance.id, message }));
}

function receiptOf({ submissionId, acceptedAt, uid, deduplicated }: Admitted): DispatchReceipt {
  return { dispatchId: submissionId, acceptedAt, uid, ...(deduplicated && { deduplicated }) };
}

export interface AgentInstanceInfo {
  id: string;
  /** usable as a send condition */
  uid?: string;
}

/** Looks an instance up: one indexed read that creates nothing (INS-01, INS-02). */
export async function getAgentInstance(agent: Agent, id: string): Promise<AgentInstanceInfo | null> {
  const { runtime, identity } = resolveAgent(agent, 'getAgentInstance()');
  const view = await runtime.store.load(instancePath(identity, validateInstanceId(id)));
  return view && { id, uid: view.instance.uid };
}

/** The errors that every agent-taking call shares (DSP-02, DSP-03). */
export function resolveAgent(agent: unknown, what: string): { runtime: FlueRuntime; identity: string } {
  assertAgent(agent);
  const runtime = requireRuntime(what);
  const identity = runtime.identityOf(agent);
  if (identity === undefined) {
    const name = (agent as { name?: string }).name || 'an anonymous function';
    throw misuse(
      `${what} got "${name}", which is not a registered agent. Export it from a 'use agent' module, or list it in start({ agents }).`,
      'FLUE4001',
    );
  }
  return { runtime, identity };
}

export function assertAgent(agent: unknown): asserts agent is Agent {
  if (typeof agent !== 'function') {
    throw new InvalidRequestError({ field: 'agent', rule: 'must be an agent function', code: 'FLUE4001' });
  }
}

function requestObject(request: unknown): AgentDispatchRequest {
  if (typeof request !== 'object' || request === null) {
    throw new InvalidRequestError({ field: 'request', rule: 'must be an object with id and message' });
  }
  return request as AgentDispatchRequest;
}
