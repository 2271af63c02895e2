import { InvalidRequestError } from '../../errors/invalid-request-error.ts';
import { readJsonBody } from './body.ts';
import { jsonResponse } from './headers.ts';
import type { AgentRequest } from './request.ts';

/** `POST /:id/compact`: the request is durable when this answers; the stream shows what comes of it (STOP-05). */
export async function compact({ raw, id, runtime, identity }: AgentRequest): Promise<Response> {
  const body = await readJsonBody(raw, runtime.settings.http.maxControlBodyBytes);
  return jsonResponse(202, await runtime.compact(identity, id, fieldsOf(body)));
}

function fieldsOf(body: unknown): { readonly instructions?: unknown } {
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new InvalidRequestError({ field: 'The body', rule: 'must be empty or a JSON object' });
  }
  if (Object.keys(body).some((field) => field !== 'instructions')) {
    throw new InvalidRequestError({ field: 'The body', rule: 'takes no field but instructions' });
  }
  return body;
}
