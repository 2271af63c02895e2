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
  readonly headers?: Readonly<Record<string, string>>;
  /** how the answer's body is given; default: its JSON, else its text */
  readonly as?: 'bytes';
  /** whether a repeat does no harm; only then is it retried */
  readonly repeatable: boolean;
  /** the credentials of a request before were refused */
  readonly refresh?: boolean;
  readonly signal: AbortSignal | undefined;
}

/** A success; anything else is thrown. */
export interface Answer {
  /** 2xx, or 304 where the request was conditional */
  readonly status: number;
  /** the parsed JSON, else the text; bytes where they were asked for */
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
  /** One attempt, whose body is still to be read. Throws the same. */
  open(request: HttpRequest): Promise<Response>;
}

const RETRIED = new Set([429, 502, 503, 504]);

export function httpClient(options: HttpOptions, timing: Timing = systemTiming): HttpClient {
  const retries = retryCount(options.retry);

  return {
    async request(request) {
      const { signal, repeatable } = request;
      let refreshed = request.refresh === true;
      let retried = 0;
      for (let attempt = 1; ; attempt++) {
        signal?.throwIfAborted();
        const credentials = { attempt, refresh: refreshed };
        const result = await tryOnce(options, request, credentials, readBody);
        if (result.kind === 'answer') return result.value;
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

    async open(request) {
      request.signal?.throwIfAborted();
      const credentials = { attempt: 1, refresh: request.refresh === true };
      const result = await tryOnce(options, request, credentials, async (response) => response);
      if (result.kind === 'answer') return result.value;
      throw result.error;
    },
  };
}

type Attempt<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | {
      readonly kind: 'failure';
      /** absent: no answer came */
      readonly status?: number;
      readonly retryAfter?: string | null;
      readonly error: Error;
    };

async function tryOnce<T>(
  options: HttpOptions,
  request: HttpRequest,
  credentials: CredentialRequest,
  take: (response: Response, request: HttpRequest) => Promise<T>,
): Promise<Attempt<T>> {
  const { method, url, body, signal } = request;
  const headers = await headersOf(options, request, credentials);
  try {
    const send = options.fetch ?? globalThis.fetch.bind(globalThis);
    const response = await send(url, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    if (response.ok || response.status === 304) {
      return { kind: 'answer', value: await take(response, request) };
    }
    const parsed = parse(await response.text());
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

async function readBody(response: Response, { as }: HttpRequest): Promise<Answer> {
  const { status, headers } = response;
  if (as === 'bytes') return { status, headers, body: new Uint8Array(await response.arrayBuffer()) };
  return { status, headers, body: parse(await response.text()) };
}

async function headersOf(
  { headers, token }: HttpOptions,
  { body, headers: own }: HttpRequest,
  credentials: CredentialRequest,
): Promise<Headers> {
  const result = new Headers(own);
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
