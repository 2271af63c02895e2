import { InvalidRequestError } from '../../errors/invalid-request-error.ts';
import { readJsonBody } from './body.ts';
import { jsonResponse } from './headers.ts';
import type { AgentRequest } from './request.ts';

/** `POST /:id/abort`: the intent is durable when this answers; settlements follow (STOP-01, STOP-02). */
export async function abort({ raw, id, runtime, identity }: AgentRequest): Promise<Response> {
  const body = await readJsonBody(raw, runtime.settings.http.maxControlBodyBytes);
  const submissionId = scopeOf(body);
  return jsonResponse(
    200,
    await runtime.abort(identity, id, submissionId === undefined ? {} : { submissionId }),
  );
}

/**
 * `undefined`: everything that is unsettled. A body that says something else than a submission is refused: taken for an
 * empty one, a misspelled field would stop the whole instance (STOP-03).
 */
function scopeOf(body: unknown): string | undefined {
  if (body === undefined) return undefined;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new InvalidRequestError({ field: 'The body', rule: 'must be empty or a JSON object' });
  }
  const unknown = Object.keys(body).find((field) => field !== 'submissionId');
  if (unknown !== undefined) {
    throw new InvalidRequestError({ field: 'The body', rule: 'takes no field but submissionId' });
  }
  const { submissionId } = body as { submissionId?: unknown };
  if (submissionId === undefined || (typeof submissionId === 'string' && submissionId !== ''))
    return submissionId;
  throw new InvalidRequestError({ field: 'submissionId', rule: 'must be a non-empty string' });
}
