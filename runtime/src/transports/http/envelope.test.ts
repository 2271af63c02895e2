import { describe, expect, it } from 'vitest';
import { LiveReaderLimitError, RuntimeUnavailableError } from '../../app/errors.ts';
import { createFailureLog } from '../../app/failure-log.ts';
import type { FlueRuntime } from '../../app/runtime.ts';
import { FlueError } from '../../errors/flue-error.ts';
import { InvalidRequestError } from '../../errors/invalid-request-error.ts';
import { PersistenceError } from '../../ports/store-errors.ts';
import { errorResponse } from './envelope.ts';
import { ClientGoneError } from './request.ts';

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

async function answer(error: unknown, o: { mode?: 'development' | 'production'; traceparent?: string } = {}) {
  const lines: string[] = [];
  const logFailure = createFailureLog({
    ids: { ulid: () => '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
    write: (text) => lines.push(text),
  });
  const runtime = { mode: o.mode ?? 'production', logFailure } as FlueRuntime;
  const headers: Record<string, string> = o.traceparent === undefined ? {} : { traceparent: o.traceparent };
  const request = new Request('http://flue.test/agents/orders/42?token=hush', { headers });
  const response = errorResponse(error, { request, runtime, identity: 'Orders' });
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    body: text && JSON.parse(text),
    log: lines.join(''),
  };
}

class Teapot extends FlueError {
  constructor(meta?: Record<string, unknown>) {
    super({
      type: 'operation_failed',
      message: 'It did not work.',
      details: 'Try again.',
      dev: 'See /srv/app/teapot.ts',
      ...(meta && { meta }),
      cause: new Error('inner secret'),
    });
  }
}

describe('the envelope', () => {
  it('of a caller mistake has the class status, its prose and no reference (ENV-01, ENV-02, ENV-04, ENV-05)', async () => {
    const { status, headers, body, log } = await answer(
      new InvalidRequestError({ field: 'uid', rule: 'must be a string' }),
    );
    expect(status).toBe(400);
    expect(body).toEqual({
      error: {
        type: 'invalid_request',
        message: 'The request is malformed.',
        details: 'uid must be a string.',
      },
    });
    expect(headers).toEqual({
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'no-store',
    });
    expect(log).toBe('');
  });

  it('of a typed failure without a status is a logged 500 of its own type (ENV-03, ENV-05, HTTP-10, CLS-07)', async () => {
    const { status, headers, body, log, text } = await answer(new Teapot({ operation: 'brew' }));
    expect(status).toBe(500);
    expect(body.error).toEqual({
      type: 'operation_failed',
      message: 'It did not work.',
      details: 'Try again.',
      meta: { operation: 'brew' },
      ref: 'err_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    });
    expect(headers['flue-error-ref']).toBe(body.error.ref);
    expect(log.startsWith('[flue] [err_01ARZ3NDEKTSV4RRFFQ69G5FAV]')).toBe(true);
    expect(log).toContain('inner secret');
    expect(text).not.toContain('secret');
  });

  it('of anything else says nothing of it (ENV-03, RED-01)', async () => {
    const { status, text, body, log } = await answer(new Error('password=hunter2 at /srv/app/x.ts:3'));
    expect([status, body.error.type, body.error.message]).toEqual([
      500,
      'internal_error',
      'An internal error occurred.',
    ]);
    expect(text).not.toMatch(/hunter2|srv/);
    expect(log).toMatch(/hunter2/);
  });

  it('shows dev in development only (ENV-02, RED-07)', async () => {
    expect((await answer(new Teapot(), { mode: 'development' })).body.error.dev).toBe(
      'See /srv/app/teapot.ts',
    );
    expect((await answer(new Teapot())).text).not.toContain('teapot.ts');
  });

  it('of a 503 says when to come back, and is not logged per request (ENV-03, ENV-05)', async () => {
    const retry = async (error: unknown) => {
      const { status, headers, log } = await answer(error);
      return [status, headers['retry-after'], log];
    };
    expect(await retry(new RuntimeUnavailableError({ state: 'draining' }))).toEqual([503, '1', '']);
    expect(await retry(new LiveReaderLimitError({ setting: 'maxLiveReaders', limit: 1 }))).toEqual([
      503,
      '5',
      '',
    ]);
    expect(await retry(new PersistenceError({ reason: 'full' }))).toEqual([503, '1', '']);
    expect((await answer(new PersistenceError({ reason: 'corrupt' }))).log).not.toBe('');
  });

  it('logs the request without its query, and its trace when it is a valid one (ENV-06, HTTP-11, RED-02)', async () => {
    const { log } = await answer(new Error('x'), { traceparent: TRACE });
    expect(log).toContain('request=GET /agents/orders/42 agent=Orders');
    expect(log).toContain(`traceparent=${TRACE}`);
    expect(log).not.toContain('hush');
    for (const bad of [
      TRACE.toUpperCase(),
      TRACE.replace(/^00/, '01'),
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      'x',
    ]) {
      expect((await answer(new Error('x'), { traceparent: bad })).log).not.toContain('traceparent');
    }
  });

  it('keeps meta JSON and small (ENV-10)', async () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    for (const meta of [{ big: 'x'.repeat(17_000) }, cycle, { n: 1n }]) {
      expect((await answer(new Teapot(meta))).body.error.meta).toEqual({ truncated: true });
    }
    expect((await answer(new Teapot({ kept: 'x'.repeat(16_000) }))).body.error.meta).toEqual({
      kept: 'x'.repeat(16_000),
    });
  });

  it('of a client that is gone is a bare 499 (ENV-07)', async () => {
    expect(await answer(new ClientGoneError())).toMatchObject({ status: 499, text: '', log: '' });
  });
});

describe('whatever is thrown', () => {
  const trap = new Proxy(
    {},
    {
      get() {
        throw new Error('trap');
      },
      has() {
        throw new Error('trap');
      },
      getPrototypeOf() {
        throw new Error('trap');
      },
    },
  );
  const cyclic = new Error('cyclic');
  cyclic.cause = cyclic;
  const getter = new Error('getter');
  Object.defineProperty(getter, 'stack', {
    get() {
      throw new Error('no stack');
    },
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'boom'],
    ['a symbol', Symbol('boom')],
    ['a proxy that throws', trap],
    ['a cycle of causes', cyclic],
    ['a throwing getter', getter],
    ['an aggregate', new AggregateError([new Error('a'), trap], 'many')],
    ['ten megabytes', new Error('x'.repeat(10_000_000))],
    ['a look-alike', { type: 'invalid_request', status: 200, message: 'x' }],
  ])('%s renders as an internal error (ENV-08, STB-03)', async (_, thrown) => {
    const { status, body } = await answer(thrown);
    expect([status, body.error.type]).toEqual([500, 'internal_error']);
  });
});
