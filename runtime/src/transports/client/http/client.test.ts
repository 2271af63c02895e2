import { describe, expect, it } from 'vitest';
import { type CredentialRequest, type HttpOptions, httpClient } from './client.ts';
import { FlueApiError, FlueSendUncertainError, FlueStreamError } from './errors.ts';
import { httpTransport } from './transport.ts';

const URL_ = 'http://flue.test/agents/orders/1';
const RECEIPT = { submissionId: 'sub_1', acceptedAt: '2026-01-01T00:00:00.000Z', uid: 'u' };
const message = { kind: 'user', body: 'x' } as const;
type Step = Response | Error;

/** A client on a network that answers as told, with its clock and its dice held. */
function scripted(steps: readonly Step[], options: HttpOptions = {}) {
  const requests: { url: string; method: string; headers: Headers; body: unknown }[] = [];
  const slept: number[] = [];
  const left = [...steps];
  const client = httpClient(
    {
      ...options,
      fetch: async (url, { method = '', headers, body }) => {
        requests.push({
          url,
          method,
          headers: headers as Headers,
          body: body === undefined ? undefined : JSON.parse(String(body)),
        });
        const step = left.shift();
        if (step === undefined) throw new Error('one request too many');
        if (step instanceof Error) throw step;
        return step;
      },
    },
    {
      sleep: async (ms) => void slept.push(ms),
      random: () => 0.5,
      now: () => Date.parse('2026-01-01T00:00:00Z'),
    },
  );
  return { requests, slept, conversation: httpTransport(client, { url: URL_, id: '1' }) };
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });
const down = () => new TypeError('fetch failed');

describe('a request', () => {
  it('is retried after a network failure and after 429, 502, 503, 504, with jitter (CLNT-06)', async () => {
    const steps = [down(), json(502, {}), json(504, {}), json(202, RECEIPT)];
    const { conversation, slept, requests } = scripted(steps);
    expect(await conversation.send({ message }, undefined)).toEqual(RECEIPT);
    expect(slept).toEqual([125, 250, 500]);
    const keys = requests.map(({ body }) => (body as { idempotencyKey: string }).idempotencyKey);
    expect(keys[0]).toMatch(/^[\d-]{7,}$/);
    expect(new Set(keys).size).toBe(1);
  });

  it('waits as long as the server asks, in seconds or until a date (CLNT-06)', async () => {
    const { conversation, slept } = scripted([
      json(503, {}, { 'retry-after': '2' }),
      json(429, {}, { 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }),
      json(202, RECEIPT),
    ]);
    await conversation.send({ message }, undefined);
    expect(slept).toEqual([2000, 5000]);
  });

  it('is given up after its retries, three unless told otherwise, none when told so (CLNT-06)', async () => {
    const three = scripted([down(), down(), down(), down()]);
    await expect(three.conversation.send({ message }, undefined)).rejects.toThrow(FlueSendUncertainError);
    expect(three.slept).toHaveLength(3);
    const none = scripted([json(503, {})], { retry: false });
    await expect(none.conversation.send({ message }, undefined)).rejects.toMatchObject({ status: 503 });
    expect(() => scripted([], { retry: -1 })).toThrow(TypeError);
  });

  it('is not repeated after another failure of the caller (CLNT-06)', async () => {
    for (const status of [400, 403, 404, 409, 500]) {
      const { conversation, requests } = scripted([json(status, {})]);
      await expect(conversation.send({ message }, undefined)).rejects.toBeInstanceOf(FlueApiError);
      expect(requests).toHaveLength(1);
    }
  });

  it('repeats an abort of one submission and never one of everything (CLNT-06)', async () => {
    const scoped = scripted([down(), json(200, { aborted: true })]);
    expect(await scoped.conversation.abort({ submissionId: 'sub_1' })).toEqual({ aborted: true });
    expect(scoped.requests.at(-1)).toMatchObject({
      url: `${URL_}/abort`,
      body: { submissionId: 'sub_1' },
    });
    const failure = down();
    const all = scripted([failure]);
    await expect(all.conversation.abort({})).rejects.toBe(failure);
    expect(all.requests[0]?.body).toBeUndefined();
    const denied = scripted([json(401, {})]);
    await expect(denied.conversation.abort({})).rejects.toMatchObject({ status: 401 });
  });
});

describe('credentials', () => {
  it('become headers; an authorization header wins over the token (CLNT-04)', async () => {
    const plain = scripted([json(202, RECEIPT)], { token: 'secret', headers: { 'x-tenant': 'a' } });
    await plain.conversation.send({ message }, undefined);
    expect(plain.requests[0]?.headers.get('authorization')).toBe('Bearer secret');
    expect(plain.requests[0]?.headers.get('x-tenant')).toBe('a');
    const both = scripted([json(202, RECEIPT)], { token: 't', headers: { Authorization: 'Basic b' } });
    await both.conversation.send({ message }, undefined);
    expect(both.requests[0]?.headers.get('authorization')).toBe('Basic b');
  });

  it('are asked for anew for each request; a 401 refreshes them once, at once (CLNT-04)', async () => {
    const asked: CredentialRequest[] = [];
    const token = async (request: CredentialRequest) => {
      asked.push(request);
      return `token-${asked.length}`;
    };
    const { conversation, requests, slept } = scripted(
      [json(401, {}), json(202, RECEIPT), json(401, {}), json(401, {})],
      { token },
    );
    await conversation.send({ message }, undefined);
    expect(slept).toEqual([]);
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
    await expect(conversation.send({ message }, undefined)).rejects.toMatchObject({ status: 401 });
    expect(asked).toEqual([
      { attempt: 1, refresh: false },
      { attempt: 2, refresh: true },
      { attempt: 1, refresh: false },
      { attempt: 2, refresh: true },
    ]);
  });

  it('never appear in errors (CLNT-04)', async () => {
    const { conversation } = scripted([down()], { token: 'secret', retry: false });
    const failure = await conversation.send({ message }, undefined).catch((error: unknown) => error);
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('secret');
  });
});

describe('errors', () => {
  it('report status, type, reference and message of the last answer (SDK-01, CERR-01)', async () => {
    const error = { type: 'internal_error', message: 'An internal error occurred.', ref: 'err_1' };
    const { conversation } = scripted([json(500, { error })]);
    const failure = await conversation.send({ message }, undefined).catch((cause: unknown) => cause);
    expect(failure).toMatchObject({ status: 500, type: 'internal_error', ref: 'err_1', body: { error } });
    expect((failure as Error).message).toBe(
      'The server answered 500 (internal_error, err_1): An internal error occurred.',
    );
    const text = scripted([new Response('Bad', { status: 418, headers: { 'flue-error-ref': 'err_2' } })]);
    await expect(text.conversation.send({ message }, undefined)).rejects.toMatchObject({
      body: 'Bad',
      ref: 'err_2',
    });
  });

  it('of a send that may have been admitted name the key that makes a repeat safe (CERR-04)', async () => {
    const { conversation } = scripted([down()], { retry: false });
    const send = conversation.send({ message, idempotencyKey: 'mine' }, undefined);
    await expect(send).rejects.toMatchObject({ code: 'SEND_UNCERTAIN', idempotencyKey: 'mine' });
  });

  it('of a read tell a network that is down from a server that is no Flue (SDK-03)', async () => {
    const gone = scripted([down()], { retry: false });
    await expect(gone.conversation.reply('sub_1', {})).rejects.toMatchObject({ code: 'NETWORK' });
    const page = scripted([new Response('<html>')]);
    await expect(page.conversation.reply('sub_1', {})).rejects.toThrow(FlueStreamError);
  });
});

describe('a read', () => {
  it('of a history that did not change costs a 304, and gives a snapshot of its own each time (CLNT-10)', async () => {
    const snapshot = { v: 1, offset: '0_1', messages: [] };
    const { conversation, requests } = scripted([
      json(200, snapshot, { etag: '"one"' }),
      new Response(null, { status: 304 }),
      json(200, { ...snapshot, offset: '0_2' }, { etag: '"two"' }),
      json(200, snapshot),
      json(200, snapshot),
      json(200, {}),
    ]);
    const first = await conversation.history({});
    first.messages.push({} as never);
    expect(await conversation.history({})).toEqual(snapshot);
    expect(await conversation.history({})).toMatchObject({ offset: '0_2' });
    await conversation.history({ limit: 5, before: 'a b' });
    await conversation.history({ limit: 5, before: 'a b' });
    expect(requests.map(({ url }) => url.slice(URL_.length))).toEqual([
      '?view=history',
      '?view=history',
      '?view=history',
      '?view=history&limit=5&before=a%20b',
      '?view=history&limit=5&before=a%20b',
    ]);
    expect(requests.map(({ headers }) => headers.get('if-none-match'))).toEqual([
      null,
      '"one"',
      '"one"',
      null,
      null,
    ]);
    await expect(conversation.history({})).rejects.toBeInstanceOf(FlueStreamError);
  });

  it('without onEvent asks for the submission alone, again while it is unsettled (CLNT-08)', async () => {
    const reading = { submissionId: 'sub_1', offset: '0_1', state: 'running' };
    const reply = { text: 'Done.', data: {}, submissionId: 'sub_1' };
    const settled = { ...reading, settlement: { submissionId: 'sub_1', outcome: 'completed' }, reply };
    const { conversation, requests } = scripted([json(200, reading), json(200, settled)]);
    expect(await conversation.reply('sub_1', {})).toEqual(reply);
    expect(new Set(requests.map(({ url }) => url))).toEqual(
      new Set([`${URL_}/submissions/sub_1?live=long-poll`]),
    );
  });

  it('follows until the settlement, be it a chunk of its own or within a reset (CHNK-08, CHNK-07)', async () => {
    const settlement = { submissionId: 'sub_1', outcome: 'completed' };
    const settled = { submissionId: 'sub_1', offset: '0_1', settlement, reply: { text: 'Done.', data: {} } };
    const reset = (settlements: object[]) => ({ type: 'conversation-reset', snapshot: { settlements } });
    const page = (...chunks: object[]) =>
      json(200, [{ type: 'stream-checkpoint' }, ...chunks], { 'stream-next-offset': '0_2' });
    const other = { submissionId: 'sub_0', outcome: 'completed' };
    const ends = [
      [reset([other, settlement]), 'conversation-reset'],
      [{ type: 'submission-settled', ...settlement }, 'submission-settled'],
    ] as const;
    for (const [end, last] of ends) {
      const unsettled = page(reset([other]), { type: 'log', level: 'info', message: 'working' });
      const { conversation, requests } = scripted([unsettled, page(end), json(200, settled)]);
      const told: string[] = [];
      await conversation.reply(
        { ...RECEIPT, offset: '0_1' },
        { onEvent: ({ type }) => void told.push(type) },
      );
      expect(told).toEqual(['conversation-reset', 'log', last]);
      expect(requests).toHaveLength(3);
    }
  });

  it('uses its own URL and never the one of the receipt (CLNT-03)', async () => {
    const settled = { submissionId: 'sub_1', offset: '0_1', reply: { text: '', data: {} } };
    const { conversation, requests } = scripted([json(200, settled)]);
    const target = { ...RECEIPT, streamUrl: 'http://inside.test/other/1' };
    await conversation.reply(target, {});
    expect(requests[0]?.url).toContain(URL_);
    const foreign = { ...RECEIPT, streamUrl: 'http://flue.test/agents/orders/2' };
    await expect(conversation.reply(foreign, {})).rejects.toThrow(TypeError);
  });
});
