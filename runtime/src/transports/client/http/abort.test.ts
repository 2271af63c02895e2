import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentContract } from '../agent-contract.ts';
import { createConnect } from '../connect.ts';
import type { AgentAccessor } from '../contract.ts';

/** A server that takes every request and answers none; it tells when one begins, and when its socket is gone. */
let server: Server;
let begun: () => void;
let closed: () => void;
beforeAll(async () => {
  server = createServer((request, response) => {
    response.on('close', () => closed());
    request.resume();
    begun();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.closeAllConnections());

const connect = createConnect<{ Orders: AgentAccessor<AgentContract> }, 'Orders'>({
  Orders: { identity: 'Orders', path: '/agents/orders' },
});

function conversation() {
  const { port } = server.address() as AddressInfo;
  return connect({ baseUrl: `http://127.0.0.1:${port}` }).Orders.at('1');
}

type Signal = { signal: AbortSignal };
const calls: Record<string, (on: ReturnType<typeof conversation>, o: Signal) => Promise<unknown>> = {
  send: (on, o) => on.send('x', o),
  read: (on, o) => on.read('sub_1', o),
  'read with onEvent': (on, o) => on.read('sub_1', { ...o, onEvent: () => {} }),
  wait: (on, o) => on.wait('sub_1', o),
  history: (on, o) => on.history(o),
  compact: (on, o) => on.compact(o),
  abort: (on, o) => on.abort(o),
};

describe('a request that is waiting for its answer', () => {
  it.each(Object.entries(calls))(
    '%s() ends with the signal of its caller, and so does its socket (PC-062, CLNT-09)',
    async (_, call) => {
      const arrived = new Promise<void>((resolve) => (begun = resolve));
      const gone = new Promise<void>((resolve) => (closed = resolve));
      const stop = new AbortController();
      const reason = new Error('enough');
      const answer = call(conversation(), { signal: stop.signal });
      answer.catch(() => {});
      await arrived;
      stop.abort(reason);
      await expect(answer).rejects.toBe(reason);
      await gone;
    },
  );

  it('of an observation ends with it (PC-062)', async () => {
    for (const end of ['signal', 'close'] as const) {
      const arrived = new Promise<void>((resolve) => (begun = resolve));
      const gone = new Promise<void>((resolve) => (closed = resolve));
      const stop = new AbortController();
      const observation = conversation().observe({ signal: stop.signal });
      observation.subscribe(() => {});
      await arrived;
      if (end === 'signal') stop.abort();
      else observation.close();
      await gone;
      expect(observation.getSnapshot().phase).toBe('closed');
    }
  });
});
