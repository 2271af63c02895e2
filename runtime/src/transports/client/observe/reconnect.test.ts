import { afterAll, beforeAll, expect, it } from 'vitest';
import { MOUNT, type Served, serve } from '../../http/served-agent.fixture.ts';
import { httpClient } from '../http/client.ts';
import { httpTransport } from '../http/transport.ts';
import { observeConversation } from './observation.ts';
import { type ObserveTiming, systemObserveTiming } from './observe-timing.ts';

const MEGABYTES = 5;
const DISCONNECTS = 50;

/** Nobody waits before coming back, and nothing is ever stale. */
const hasty: ObserveTiming = {
  ...systemObserveTiming,
  timer(ms, call) {
    if (ms > 60_000) return () => {};
    const handle = setImmediate(call);
    return () => clearImmediate(handle);
  },
};

let served: Served;
beforeAll(async () => {
  served = await serve(() => ({ text: 'Done.' }));
});
afterAll(() => served?.stop());

it('50 broken connections over 5 MB of conversation transfer less than a hundredth of 50 snapshots (OBSV-03)', async () => {
  const url = `http://flue.test${MOUNT}/long`;
  const read = { history: 0, updates: 0 };
  let connections = 0;
  const client = httpClient({
    retry: false,
    async fetch(address, init) {
      const view = new URL(address).searchParams.get('view');
      const cut = new AbortController();
      const signal = init.signal ? AbortSignal.any([init.signal, cut.signal]) : cut.signal;
      const response = await served.app.fetch(new Request(address, { ...init, signal }));
      if (view !== 'history' && view !== 'updates') return response;
      if (view === 'updates') connections += 1;
      const isLast = connections > DISCONNECTS;
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          read[view] += bytes.byteLength;
          controller.enqueue(bytes);
          if (view === 'updates' && !isLast) cut.abort(new Error('cut off'));
        },
      });
      return new Response(response.body?.pipeThrough(counted) ?? null, response);
    },
  });
  const transport = httpTransport(client, { url, id: 'long' });
  const body = 'x'.repeat(500_000);
  for (let sent = 0; sent < MEGABYTES * 2; sent++) {
    const receipt = await transport.send({ message: { kind: 'user', body } }, undefined);
    await transport.reply(receipt, {});
  }

  const observation = observeConversation(transport, {}, hasty);
  const live = new Promise<void>((resolve) => {
    observation.subscribe(() => {
      if (connections > DISCONNECTS && observation.getSnapshot().phase === 'live') resolve();
    });
  });
  await live;
  const { conversation } = observation.getSnapshot();
  observation.close();
  const transferred = { ...read };
  expect(conversation?.messages).toEqual((await transport.history({})).messages);
  expect(transferred.history).toBeGreaterThan(MEGABYTES * 1_000_000);
  expect(transferred.history).toBeLessThan(MEGABYTES * 1_000_000 * 1.1);
  expect(transferred.updates).toBeGreaterThan(0);
  expect(transferred.updates).toBeLessThan(0.01 * DISCONNECTS * transferred.history);
});
