import { RuntimeUnavailableError } from '../../app/errors.ts';
import { InvalidRequestError } from '../../errors/invalid-request-error.ts';
import { readJsonBody } from './body.ts';
import { jsonResponse } from './headers.ts';
import { ignoredFields, warnOfIgnored } from './ignored-fields.ts';
import { type AgentRequest, refuseQuery } from './request.ts';

/** `POST /:id`: 202 once the message is durably admitted, before the agent runs (POST-09). */
export async function send(request: AgentRequest): Promise<Response> {
  const { raw, url, id, runtime, identity } = request;
  if (runtime.state !== 'ready') throw new RuntimeUnavailableError({ state: runtime.state });
  refuseQuery(url, ['wait'], 'is not served: read the submission or its updates for the reply');

  const body = await readJsonBody(raw, runtime.settings.http.maxBodyBytes);
  const { initialData, uid, idempotencyKey, ...message } = requireObject(body);
  const key = oneKey(idempotencyKey, raw.headers.get('idempotency-key'));
  const admitted = await runtime.admit(identity, {
    kind: 'direct',
    id,
    message,
    initialData,
    uid,
    idempotencyKey: key,
    request: raw,
  });

  const streamUrl = withoutQuery(url);
  const ignored = runtime.mode === 'development' ? ignoredFields(message) : [];
  if (ignored.length > 0) warnOfIgnored(url.pathname, ignored);
  const { submissionId, offset, acceptedAt, deduplicated } = admitted;
  return jsonResponse(
    202,
    { streamUrl, offset, submissionId, uid: admitted.uid, acceptedAt, ...(deduplicated && { deduplicated }) },
    {
      Location: streamUrl,
      'Stream-Next-Offset': offset,
      ...(ignored.length > 0 && { 'flue-ignored-fields': ignored.map(encodeURIComponent).join(', ') }),
    },
  );
}

/** The bare string of the programmatic APIs is not part of the wire (POST-02, HTTP-13). */
function requireObject(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  const rule = body === undefined ? 'must hold a message, and is empty' : 'must be a JSON object';
  throw new InvalidRequestError({ field: 'The body', rule });
}

/** A key may come in the body or as a header, but there is one delivery and so one key (POST-11). */
function oneKey(inBody: unknown, inHeader: string | null): unknown {
  if (inHeader === null) return inBody;
  if (inBody === undefined || inBody === inHeader) return inHeader;
  throw new InvalidRequestError({ field: 'idempotencyKey', rule: 'must equal the Idempotency-Key header' });
}

function withoutQuery(url: URL): string {
  return url.origin + url.pathname;
}
