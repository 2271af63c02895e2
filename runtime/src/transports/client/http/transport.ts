import type { ConversationSnapshot, Settlement } from '../../../conversation/projections/chunk.ts';
import type { AgentReply } from '../../../conversation/projections/reply.ts';
import type { SendReceipt } from '../contract.ts';
import type { ConversationTransport, FollowOptions, OutgoingSend } from '../transport.ts';
import { type Answer, type HttpClient, type HttpRequest, NetworkFailure } from './client.ts';
import { FlueExecutionError, FlueSendUncertainError, FlueStreamError } from './errors.ts';
import { tellEvents } from './events.ts';
import { followLive } from './live.ts';
import { lastSegment } from './url.ts';

/** What `GET /:id/submissions/:submissionId` answers (SUBR-01). */
interface SubmissionReading {
  readonly submissionId: string;
  readonly offset: string;
  readonly settlement?: Settlement;
  readonly reply?: AgentReply;
}

/** One conversation behind its URL, mount and id. */
export function httpTransport(
  client: HttpClient,
  { url, id }: { readonly url: string; readonly id: string },
): ConversationTransport {
  const read = (query: string, signal: AbortSignal | undefined) =>
    readAnswer(client, { method: 'GET', url: url + query, repeatable: true, signal });

  const fileUrl = (file: string) => `${url}/attachments/${encodeURIComponent(file)}`;
  /** the last history read, which the server need not send again (CLNT-10) */
  let known:
    | { readonly query: string; readonly tag: string; readonly snapshot: ConversationSnapshot }
    | undefined;

  async function submission(target: string, live: boolean, signal: AbortSignal | undefined) {
    const query = live ? '?live=long-poll' : '';
    const { body } = await read(`/submissions/${encodeURIComponent(target)}${query}`, signal);
    if (isReading(body)) return body;
    throw new FlueStreamError('PROTOCOL', body);
  }

  return {
    async send(send, signal) {
      // A key of our own makes a repeat of this very request harmless (CLNT-06).
      const idempotencyKey = send.idempotencyKey ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
      const body = bodyOf({ ...send, idempotencyKey });
      try {
        const answer = await client.request({ method: 'POST', url, body, repeatable: true, signal });
        return answer.body as SendReceipt;
      } catch (error) {
        if (error instanceof NetworkFailure) throw new FlueSendUncertainError(idempotencyKey, error.cause);
        throw error;
      }
    },

    async reply(target, { onEvent, signal }: FollowOptions) {
      refuseForeign(target, id);
      const submissionId = typeof target === 'string' ? target : target.submissionId;
      if (onEvent) {
        const offset = offsetOf(target) ?? (await submission(submissionId, false, signal)).offset;
        await tellEvents(read, { submissionId, offset, signal, onEvent });
      }
      for (;;) {
        const { settlement, reply } = await submission(submissionId, true, signal);
        if (reply) return reply;
        if (settlement) throw new FlueExecutionError(settlement);
      }
    },

    async abort({ submissionId, signal }) {
      // A late repeat of an abort of everything could stop newer work (CLNT-06).
      const repeatable = submissionId !== undefined;
      const body = repeatable ? { submissionId } : undefined;
      try {
        const answer = await client.request({
          method: 'POST',
          url: `${url}/abort`,
          body,
          repeatable,
          signal,
        });
        return answer.body as { aborted: boolean };
      } catch (error) {
        throw error instanceof NetworkFailure ? error.cause : error;
      }
    },

    async compact({ instructions, signal }) {
      // A repeat only asks once more for what one compaction answers (HND-21).
      const body = instructions === undefined ? undefined : { instructions };
      try {
        const answer = await client.request({
          method: 'POST',
          url: `${url}/compact`,
          body,
          repeatable: true,
          signal,
        });
        return answer.body as { requested: true };
      } catch (error) {
        throw error instanceof NetworkFailure ? error.cause : error;
      }
    },

    async history({ limit, before, signal }, attempt) {
      const query = `?view=history${parameter('limit', limit)}${parameter('before', before)}`;
      const held = known?.query === query ? known : undefined;
      const { status, body, headers } = await readAnswer(client, {
        method: 'GET',
        url: url + query,
        ...(held && { headers: { 'if-none-match': held.tag } }),
        repeatable: attempt === undefined,
        refresh: attempt?.refresh === true,
        signal,
      });
      if (held && status === 304) return structuredClone(held.snapshot);
      if (!isSnapshot(body)) throw new FlueStreamError('PROTOCOL', body);
      const tag = headers.get('etag');
      known = tag === null ? undefined : { query, tag, snapshot: structuredClone(body) };
      return body;
    },

    follow: (live) => followLive(client, url, live),

    async attachment(file) {
      const request = { method: 'GET', url: fileUrl(file), as: 'bytes', repeatable: true } as const;
      const { body, headers } = await readAnswer(client, { ...request, signal: undefined });
      const mimeType = headers.get('content-type') ?? 'application/octet-stream';
      return { bytes: body as Uint8Array, mimeType };
    },

    fileUrl,
  };
}

function parameter(name: string, value: string | number | undefined): string {
  return value === undefined ? '' : `&${name}=${encodeURIComponent(value)}`;
}

async function readAnswer(client: HttpClient, request: HttpRequest): Promise<Answer> {
  try {
    return await client.request(request);
  } catch (error) {
    throw error instanceof NetworkFailure ? new FlueStreamError('NETWORK', error.cause) : error;
  }
}

/** The wire has the message's own fields beside the reserved ones (POST-01). */
function bodyOf({ message, ...reserved }: OutgoingSend): object {
  return { ...message, ...reserved };
}

function isReading(body: unknown): body is SubmissionReading {
  const { submissionId, offset } = (body ?? {}) as Partial<SubmissionReading>;
  return typeof submissionId === 'string' && typeof offset === 'string';
}

function isSnapshot(body: unknown): body is ConversationSnapshot {
  const { v, offset, messages } = (body ?? {}) as Partial<ConversationSnapshot>;
  return typeof v === 'number' && typeof offset === 'string' && Array.isArray(messages);
}

function offsetOf(target: SendReceipt | string): string | undefined {
  return typeof target === 'string' ? undefined : target.offset;
}

/** The host in a receipt may be a proxy's business; the id at its end is the conversation's (CLNT-03, CLNT-07). */
function refuseForeign(target: SendReceipt | string, id: string): void {
  if (typeof target === 'string' || target.streamUrl === undefined) return;
  const other = lastSegment(target.streamUrl);
  if (other === id) return;
  throw new TypeError(`This receipt is of the conversation "${other}", not of "${id}".`);
}
