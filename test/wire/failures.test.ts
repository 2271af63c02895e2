import { fakeClock } from '@flue/runtime/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WireAnswer, WireFailure, WireServer } from '../support/wire-server.ts';
import { openGateway, play, requestOf, startWire, subjects } from './subjects.ts';

let server: WireServer;
beforeAll(async () => {
  server = await startWire();
});
beforeEach(() => server.reset());
afterAll(() => server.close());

describe.each(subjects)('a failure over $protocol.api', ({ specifier, key, keyVariable, protocol }) => {
  const fail = async (answer: WireAnswer | WireFailure) => {
    server.answer(answer);
    return (await play(openGateway({ clock: fakeClock(1_000_000) }), requestOf(specifier))).end;
  };

  it.each(['rate_limit', 'server', 'overloaded'] as const)('%s is transient (RETRY-01)', async (failure) => {
    const end = await fail({ failure });
    expect(end).toMatchObject({ stop: 'error', content: [], fault: { class: 'transient' } });
    expect(end.fault?.status).toBe(protocol.fail(failure, '').status);
  });

  it.each(['quota', 'invalid'] as const)(
    '%s is terminal, whatever its status and digits (RETRY-01)',
    async (failure) => {
      expect(await fail({ failure })).toMatchObject({ stop: 'error', fault: { class: 'terminal' } });
    },
  );

  it('a refused key is terminal and names its variable, never the key (AUTH-05, AUTH-06, RED-04)', async () => {
    const end = await fail({ failure: 'auth', text: `: ${key}, and not sk-proj-of-somebody-else` });
    expect(end).toMatchObject({
      stop: 'error',
      fault: { class: 'terminal', reason: 'auth', status: 401 },
      envVar: keyVariable,
    });
    const said = JSON.stringify(end) + String(end.cause) + String((end.cause as Error).stack);
    expect(said).not.toContain(key);
    expect(said).not.toContain('of-somebody-else');
    expect(end.fault?.message).toContain('[redacted]');
  });

  it('an input that does not fit is an overflow before anything else (OVER-01)', async () => {
    expect(await fail({ failure: 'too_long' })).toMatchObject({
      fault: { class: 'overflow', reason: 'context_overflow', status: 400 },
    });
  });

  it('passes on how long the server asks to wait (RETRY-04)', async () => {
    expect(await fail({ failure: 'rate_limit', headers: { 'retry-after': '7' } })).toMatchObject({
      retryAfterMs: 7000,
    });
    expect(await fail({ failure: 'rate_limit', headers: { 'retry-after-ms': '250' } })).toMatchObject({
      retryAfterMs: 250,
    });
    const date = new Date(1_000_000 + 9_000).toUTCString();
    expect(await fail({ failure: 'overloaded', headers: { 'retry-after': date } })).toMatchObject({
      retryAfterMs: 9000,
    });
  });

  it.each(['cut', 'unfinished', 'overloaded'] as const)(
    'a stream that ends %s is transient, its text kept and its call dropped (RETRY-01, RCD-10)',
    async (end) => {
      const calls = [{ id: 'call_a', name: 'lookup', pieces: ['{"order":'] }];
      expect(await fail({ text: ['Half a'], calls, end })).toMatchObject({
        stop: 'error',
        content: [{ type: 'text', text: 'Half a' }],
        fault: { class: 'transient' },
      });
    },
  );

  it('a stream that goes silent is cut after the idle timeout and transient (RETRY-07)', async () => {
    const clock = fakeClock();
    server.answer({ text: ['Half a'], end: 'silent' });
    const gateway = openGateway({ clock, idleTimeoutMs: 1000 });
    const stream = gateway.stream(requestOf(specifier), new AbortController().signal)[Symbol.asyncIterator]();
    expect((await stream.next()).value).toMatchObject({ type: 'text', delta: 'Half a' });
    const end = stream.next();
    await clock.advance(1000);
    expect((await end).value).toMatchObject({
      type: 'end',
      stop: 'error',
      content: [{ type: 'text', text: 'Half a' }],
      fault: { class: 'transient', reason: 'idle_timeout' },
    });
    await server.hungUp;
  });

  it('a server that is not there is transient (RETRY-01)', async () => {
    const gone = await startWire();
    await gone.close();
    const { end } = await play(openGateway(), requestOf(specifier));
    expect(end).toMatchObject({ stop: 'error', fault: { class: 'transient' } });
    await server.close();
    server = await startWire();
  });

  it('a key that the model says aloud is masked, split over deltas or not (AUTH-05, RCD-11)', async () => {
    const [head, tail] = [key.slice(0, 7), key.slice(7)];
    server.answer({ text: ['The key is ', head, tail, ', or ', `${key}.`] });
    const { deltas, end } = await play(openGateway(), requestOf(specifier));
    const streamed = deltas.map((event) => event.delta).join('');
    expect(streamed).toBe('The key is [redacted], or [redacted].');
    expect(end.content).toMatchObject([{ type: 'text', text: streamed }]);
  });
});

it('an input that the server silently cut off is an overflow (OVER-01)', async () => {
  server.answer({ text: ['Sure.'], usage: { input: 12_000, output: 3 } });
  const { end } = await play(openGateway(), requestOf('local/tiny-1'));
  expect(end).toMatchObject({
    stop: 'error',
    content: [{ type: 'text', text: 'Sure.' }],
    fault: { class: 'overflow', reason: 'context_overflow' },
    usage: { input: 12_000 },
  });
});
