import type { Context } from 'hono';
import { validateInstanceId } from '../../app/admission/admit.ts';
import { type FlueRuntime, instancePath } from '../../app/runtime.ts';
import { InvalidRequestError } from '../../errors/invalid-request-error.ts';

/** What a route's handler is given: the request, who it is for, and the runtime that serves it now. */
export interface AgentRequest {
  readonly raw: Request;
  readonly url: URL;
  /** the instance id */
  readonly id: string;
  /** what follows the family's name: an attachment's or a submission's id */
  readonly member: string;
  readonly runtime: FlueRuntime;
  readonly identity: string;
  readonly path: string;
}

/** The caller went away while it was served: there is nobody to answer (ENV-07, POST-15). */
export class ClientGoneError extends Error {}

export function agentRequest(
  c: Context,
  target: { readonly runtime: FlueRuntime; readonly identity: string; readonly depth: number },
): AgentRequest {
  const { runtime, identity, depth } = target;
  const raw = c.req.raw;
  const url = new URL(raw.url);
  const [id = '', , member = ''] = url.pathname.split('/').slice(-depth).map(decodeSegment);
  if (id.trim() === '')
    throw new InvalidRequestError({ field: 'The instance id', rule: 'must not be blank' });
  validateInstanceId(id);
  return { raw, url, id, member, runtime, identity, path: instancePath(identity, id) };
}

/**
 * Percent-decodes once (HTTP-07). Segments are taken from the end of the raw path: whatever the mount is, the router's
 * own part has a fixed depth, and Hono's parameters are already decoded leniently.
 */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new InvalidRequestError({
      field: 'The path',
      rule: 'holds a percent-encoding that is not valid UTF-8',
    });
  }
}

/** The value of a query parameter; a repeated one is refused, since there is no telling which was meant. */
export function queryValue(url: URL, name: string): string | undefined {
  const values = url.searchParams.getAll(name);
  if (values.length > 1) throw new InvalidRequestError({ field: name, rule: 'must appear once' });
  return values[0];
}

export function refuseQuery(url: URL, names: readonly string[], rule: string): void {
  const given = names.find((name) => url.searchParams.has(name));
  if (given !== undefined) throw new InvalidRequestError({ field: given, rule });
}
