import { FlueHttpError } from '../errors/flue-error.ts';
import type { Offset } from '../ports/store.ts';

/**
 * What a request or an instance can be refused for (errors section 3, "Requests and instances"). Every class is thrown
 * before any durable effect (ERR-11) and takes data, never prose (ERR-04).
 */

/** The body is no JSON text: 400. `report` says what and where, on the caller's own input (HTTP-13). */
export class InvalidJsonError extends FlueHttpError {
  constructor(o: { readonly report: string }) {
    super({
      type: 'invalid_json',
      status: 400,
      message: 'The request body is not valid JSON.',
      details: o.report,
    });
  }
}

/** Wrong media type or charset, or an encoded body: 415. */
export class UnsupportedMediaTypeError extends FlueHttpError {
  constructor(o: {
    readonly header: 'Content-Type' | 'Content-Encoding';
    readonly received: string | undefined;
  }) {
    const received = o.received === undefined ? `no ${o.header}` : `${o.header}: ${o.received.slice(0, 100)}`;
    const remedy =
      o.header === 'Content-Type'
        ? 'Send Content-Type: application/json, in UTF-8.'
        : 'Send the body as it is, without Content-Encoding.';
    super({
      type: 'unsupported_media_type',
      status: 415,
      message: 'The request body has an unsupported media type.',
      details: `Received ${received}. ${remedy}`,
    });
  }
}

/** The body is above the limit of its route: 413 (HTTP-14). */
export class PayloadTooLargeError extends FlueHttpError {
  constructor(o: { readonly limitBytes: number }) {
    super({
      type: 'payload_too_large',
      status: 413,
      message: 'The request body is too large.',
      details: `This route takes at most ${o.limitBytes} bytes. Nothing was accepted; send a smaller body.`,
      meta: { limitBytes: o.limitBytes },
    });
  }
}

/** The application's `authorize` said no: 403. Tells nothing about what exists. */
export class ForbiddenError extends FlueHttpError {
  constructor() {
    super({
      type: 'forbidden',
      status: 403,
      message: 'The request is not allowed.',
      details: 'The application refused this request. Authenticate as someone who may make it.',
    });
  }
}

/** Too many parked long-polls and event streams: 503 (LIVE-04). */
export class LiveReaderLimitError extends FlueHttpError {
  constructor(o: {
    readonly setting: 'maxLiveReaders' | 'maxLiveReadersPerInstance';
    readonly limit: number;
  }) {
    super({
      type: 'live_reader_limit',
      status: 503,
      headers: { 'Retry-After': '5' },
      message: 'Too many live readers are connected.',
      details: 'Reads without the live parameter still work; poll with them and try a live read later.',
      dev: `http.${o.setting} is ${o.limit}. Raise it when the process has memory and sockets to spare.`,
    });
  }
}

/** A method that the path does not take: 405 with `Allow` (HTTP-05). */
export class MethodNotAllowedError extends FlueHttpError {
  constructor(o: { readonly method: string; readonly allowed: readonly string[] }) {
    const allowed = o.allowed.join(', ');
    super({
      type: 'method_not_allowed',
      status: 405,
      headers: { Allow: allowed },
      message: 'The path does not take this method.',
      details: `Received ${o.method}. Accepted here: ${allowed}.`,
    });
  }
}

/** Nothing is served at the path: 404. Registered routes are not listed. */
export class RouteNotFoundError extends FlueHttpError {
  constructor(o: { readonly method: string; readonly path: string }) {
    super({
      type: 'route_not_found',
      status: 404,
      message: 'Nothing is served at this path.',
      details: `No route answers ${o.method} ${o.path.slice(0, 200)}. Check the path against the mount.`,
    });
  }
}

/** A stream or attachment of an instance that nobody has written to: 404 (STRM-08). */
export class StreamNotFoundError extends FlueHttpError {
  constructor() {
    super({
      type: 'stream_not_found',
      status: 404,
      message: 'The conversation does not exist.',
      details: 'A conversation appears with the first message sent to it. Send one, then read again.',
    });
  }
}

/** The offset is beyond the head, so the stream behind it was reset: 416 (STRM-04). */
export class StreamOffsetGoneError extends FlueHttpError {
  constructor(o: { readonly offset: string; readonly nextOffset: Offset }) {
    super({
      type: 'stream_offset_gone',
      status: 416,
      message: 'The offset lies beyond the end of the conversation.',
      details: 'The conversation was reset. Read its history again and resume from the offset given there.',
      meta: { offset: o.offset, nextOffset: o.nextOffset },
    });
  }
}

/** No such attachment in the conversation: 404 (BLOB-01). */
export class AttachmentNotFoundError extends FlueHttpError {
  constructor() {
    super({
      type: 'attachment_not_found',
      status: 404,
      message: 'The attachment does not exist.',
      details: 'The conversation has no attachment of this id. Take ids from its messages.',
    });
  }
}

/** The instance does not exist, or is not of the incarnation named: 404, the same for both (CND-02). */
export class AgentInstanceNotFoundError extends FlueHttpError {
  constructor(o: { readonly id: string }) {
    super({
      type: 'agent_instance_not_found',
      status: 404,
      message: 'The agent instance does not exist.',
      details:
        `There is no instance ${JSON.stringify(o.id)} as named. Send without uid to create or continue it, ` +
        'or check the id and the uid.',
    });
  }
}

/** A create-only send (`uid: null`) met an instance: 409 (CND-03). */
export class AgentInstanceExistsError extends FlueHttpError {
  /** of the instance that is there */
  readonly uid: string;

  constructor(o: { readonly uid: string }) {
    super({
      type: 'agent_instance_exists',
      status: 409,
      message: 'The agent instance already exists.',
      details: `It has the uid ${o.uid}. Send with that uid, or without one, to continue it.`,
      meta: { uid: o.uid },
    });
    this.uid = o.uid;
  }
}

/** The idempotency key already names another delivery: 409 (DSP-12). */
export class SubmissionConflictError extends FlueHttpError {
  /** of the delivery that the key names */
  readonly submissionId: string;

  constructor(o: { readonly submissionId: string }) {
    super({
      type: 'submission_conflict',
      status: 409,
      message: 'The idempotency key was used for another delivery.',
      details: `It names ${o.submissionId}, whose content differs. Send the same content, or use a fresh key.`,
      meta: { submissionId: o.submissionId },
    });
    this.submissionId = o.submissionId;
  }
}

/** The instance never accepted this submission: 404 (HND-14). */
export class SubmissionNotFoundError extends FlueHttpError {
  constructor(o: { readonly submissionId: string }) {
    super({
      type: 'submission_not_found',
      status: 404,
      message: 'The submission does not exist.',
      details: 'The instance never accepted a submission of this id. Use the id of a receipt.',
      meta: { submissionId: o.submissionId },
    });
  }
}

export type UnavailableState = 'loading' | 'draining' | 'failed';

/** The process takes no new work now: 503, to be retried (HTTP-16, DSP-16). `failure` is what loading failed with. */
export class RuntimeUnavailableError extends FlueHttpError {
  constructor(o: { readonly state: UnavailableState; readonly failure?: unknown }) {
    super({
      type: 'runtime_unavailable',
      status: 503,
      headers: { 'Retry-After': '1' },
      message: 'The runtime takes no work now.',
      details: UNAVAILABLE[o.state],
      ...(o.failure !== undefined && { dev: describeFailure(o.failure), cause: o.failure }),
      meta: { state: o.state },
    });
  }
}

const UNAVAILABLE: Record<UnavailableState, string> = {
  loading: 'It is starting. Send the request again in a moment.',
  draining: 'It is shutting down. Send the request again; another process will take it.',
  failed: 'It failed to start. Send the request again once it has been repaired.',
};

function describeFailure(failure: unknown): string {
  return failure instanceof Error ? `${failure.name}: ${failure.message}` : String(failure);
}
