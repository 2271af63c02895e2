import { AgentRunError } from '../../../app/agent-run-error.ts';
import type { Settlement } from '../../../conversation/projections/chunk.ts';
import type { SettlementError } from '../../../ports/store.ts';

/** A JSON request was answered with another status than success, after the client's retries (SDK-01, CERR-01). */
export class FlueApiError extends Error {
  override readonly name: string = 'FlueApiError';
  readonly status: number;
  /** the parsed JSON, else the text */
  readonly body: unknown;
  /** names the server's log line */
  readonly ref: string | undefined;
  /** the stable code of the failure */
  readonly type: string | undefined;

  constructor(o: { readonly status: number; readonly body: unknown; readonly ref?: string | undefined }) {
    const envelope = envelopeOf(o.body);
    const ref = text(envelope.ref) ?? o.ref;
    const type = text(envelope.type);
    const facts = [type, ref].filter((fact) => fact !== undefined).join(', ');
    super(
      `The server answered ${o.status}${facts && ` (${facts})`}${envelope.message ? `: ${envelope.message}` : '.'}`,
    );
    this.status = o.status;
    this.body = o.body;
    this.ref = ref;
    this.type = type;
  }
}

/** An admitted submission did not complete (SDK-02, CERR-02). */
export class FlueExecutionError extends AgentRunError {
  readonly target: 'agent_submission' = 'agent_submission';
  readonly targetId: string;
  readonly failure: 'failed' | 'aborted';
  /** what the settlement recorded */
  readonly error: SettlementError | undefined;

  constructor({ submissionId, outcome, error }: Settlement) {
    const failure = outcome === 'aborted' ? 'aborted' : 'failed';
    super({ outcome: failure, submissionId, ...(error && { cause: recordedCause(error) }) });
    this.name = 'FlueExecutionError';
    this.targetId = submissionId;
    this.failure = failure;
    this.error = error;
  }
}

/** Reading was cut off and retries did not help, or what came is not the protocol (SDK-03). */
export class FlueStreamError extends Error {
  override readonly name: string = 'FlueStreamError';
  readonly code: 'NETWORK' | 'PROTOCOL';

  constructor(code: 'NETWORK' | 'PROTOCOL', cause: unknown) {
    super(
      code === 'NETWORK'
        ? 'The server could not be reached while a submission was read. It goes on there; read it again.'
        : 'The answer to a read is not what a Flue server sends. Check the URL and the proxies before it.',
      { cause },
    );
    this.code = code;
  }
}

/** The network failed while a message was sent, so nobody knows whether it was admitted (SDK-03, CERR-04). */
export class FlueSendUncertainError extends Error {
  override readonly name: string = 'FlueSendUncertainError';
  readonly code: 'SEND_UNCERTAIN' = 'SEND_UNCERTAIN';
  /** a repeat under this key is admitted once */
  readonly idempotencyKey: string;

  constructor(idempotencyKey: string, cause: unknown) {
    super(
      'The network failed while the message was sent; it may have been admitted. Send it again with this idempotencyKey.',
      { cause },
    );
    this.idempotencyKey = idempotencyKey;
  }
}

function envelopeOf(body: unknown): Record<string, unknown> {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { error?: unknown };
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The recorded failure as an `Error`; the server's classes stay on the server. */
function recordedCause({ message, ...fields }: SettlementError): Error {
  return Object.assign(new Error(message), fields);
}
