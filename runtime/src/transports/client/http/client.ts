import { FlueApiError } from './errors.ts';
import { retryDelay, systemTiming, type Timing } from './timing.ts';

/** What a header or token function is told: `attempt` counts from 1; `refresh` after a 401, once per request. */
export interface CredentialRequest {
  readonly attempt: number;
  readonly refresh: boolean;
}

type Resolvable<T> = T | ((request: CredentialRequest) => T | Promise<T>);

export interface HttpOptions {
  /** every request goes through it; default: the global `fetch` (CLNT-03) */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** resolved for each request and each retry (CLNT-04) */
  readonly headers?: Resolvable<Readonly<Record<string, string>>>;
  /** becomes `authorization: Bearer …`; an `authorization` of `headers` wins (CLNT-04) */
  readonly token?: Resolvable<string>;
  /** retries after a network failure, 429, 502, 503 or 504; default 3, `false` for none (CLNT-06) */
  readonly retry?: number | false;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: unknown;
  /** whether a repeat does no harm; only then is it retried */
  readonly repeatable: boolean;
  readonly signal: AbortSignal | undefined;
}

/** A success; anything else is thrown. */
export interface Answer {
  /** the parsed JSON, else the text */
  readonly body: unknown;
  readonly headers: Headers;
}

/** No answer came, whatever the reason; `cause` is what `fetch` threw. */
export class NetworkFailure extends Error {
  constructor(cause: unknown) {
    super('The network failed.', { cause });
  }
}

export interface HttpClient {
  /**
   * @throws FlueApiError for an answer without success, NetworkFailure for none, and the signal's own reason
   */
  request(request: HttpRequest): Promise<Answer>;
}

const RETRIED = new Set([429, 502, 503, 504]);

export function httpClient(options: HttpOptions, timing: Timing = systemTiming): HttpClient {
  const retries = retryCount(options.retry);

  return {
    async request(request) {
      const { signal, repeatable } = request;
      let refreshed = false;
      let retried = 0;
      for (let attempt = 1; ; attempt++) {
        signal?.throwIfAborted();
        const headers = await headersOf(options, request, { attempt, refresh: refreshed });
        const result = await tryOnce(options, request, headers);
        if (result.kind === 'answer') return result;
        if (!repeatable) throw result.error;
        if (result.status === 401 && !refreshed) {
          refreshed = true;
          continue;
        }
        const mayPass = result.status === undefined || RETRIED.has(result.status);
        if (!mayPass || retried === retries) throw result.error;
        await timing.sleep(retryDelay(retried++, result.retryAfter, timing), signal);
      }
    },
  };
}

type Attempt =
  | ({ readonly kind: 'answer' } & Answer)
  | {
      readonly kind: 'failure';
      /** absent: no answer came */
      readonly status?: number;
      readonly retryAfter?: string | null;
      readonly error: Error;
    };

async function tryOnce(
  { fetch }: HttpOptions,
  { method, url, body, signal }: HttpRequest,
  headers: Headers,
): Promise<Attempt> {
  try {
    const send = fetch ?? globalThis.fetch.bind(globalThis);
    const response = await send(url, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const parsed = parse(await response.text());
    if (response.ok) return { kind: 'answer', body: parsed, headers: response.headers };
    // A server that noticed the cancellation may still answer something.
    signal?.throwIfAborted();
    const { status } = response;
    const ref = response.headers.get('flue-error-ref') ?? undefined;
    const error = new FlueApiError({ status, body: parsed, ref });
    return { kind: 'failure', status, retryAfter: response.headers.get('retry-after'), error };
  } catch (cause) {
    signal?.throwIfAborted();
    return { kind: 'failure', error: new NetworkFailure(cause) };
  }
}

async function headersOf(
  { headers, token }: HttpOptions,
  { body }: HttpRequest,
  credentials: CredentialRequest,
): Promise<Headers> {
  const result = new Headers();
  if (body !== undefined) result.set('content-type', 'application/json');
  const bearer = await resolved(token, credentials);
  if (bearer !== undefined) result.set('authorization', `Bearer ${bearer}`);
  for (const [name, value] of Object.entries((await resolved(headers, credentials)) ?? {})) {
    result.set(name, value);
  }
  return result;
}

async function resolved<T extends string | object>(
  value: Resolvable<T> | undefined,
  credentials: CredentialRequest,
): Promise<T | undefined> {
  return typeof value === 'function' ? value(credentials) : value;
}

function retryCount(retry: HttpOptions['retry']): number {
  if (retry === false) return 0;
  if (retry === undefined) return 3;
  if (Number.isSafeInteger(retry) && retry >= 0) return retry;
  throw new TypeError('retry must be a number of retries, or false.');
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
