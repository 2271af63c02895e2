import { request as httpRequest } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { serve as listen } from '@hono/node-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { liveReadersOf } from '../../app/reader-live.ts';
import { readEvents } from './event-reader.fixture.ts';
import { MOUNT, type Served, serve } from './served-agent.fixture.ts';

let served: Served;
let server: Server;
let base: string;

beforeAll(async () => {
  served = await serve(() => ({ text: ['Let me ', 'see. ', 'Yes.'] }));
  await new Promise<void>((resolve) => {
    server = listen({ fetch: served.app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve()) as Server;
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}${MOUNT}`;
});
afterAll(async () => {
  await served.stop();
  await new Promise((resolve) => server.close(resolve));
});

const headers = { 'content-type': 'application/json' };
const say = (id: string) =>
  fetch(`${base}/${id}`, { method: 'POST', headers, body: JSON.stringify({ kind: 'user', body: 'Well?' }) });

it('a reply streams over a socket, and its submission reads the same (SSE-01, SUBR-01)', async () => {
  const { offset, submissionId, streamUrl } = (await (await say('a')).json()) as Record<string, string>;
  expect(streamUrl).toBe(`${base}/a`);
  const response = await fetch(`${streamUrl}?view=updates&live=sse&offset=${offset}`);
  const reader = readEvents(response);
  const frames = await reader.until(
    ({ data }) => JSON.stringify(data)?.includes('submission-settled') ?? false,
  );
  const deltas = frames
    .flatMap(({ event, data }) => (event === 'data' ? data : []))
    .filter(({ type }: { type: string }) => type === 'message-delta');
  expect(deltas.map(({ delta }: { delta: string }) => delta).join('')).toBe('Let me see. Yes.');
  const reading = (await (await fetch(`${base}/a/submissions/${submissionId}`)).json()) as {
    reply: { text: string };
  };
  expect(reading.reply.text).toBe('Let me see. Yes.');
  await reader.cancel();
});

it('a socket that closes frees its live readers at once (SSE-06, UPD-03)', async () => {
  await (await say('b')).json();
  const present = () => liveReadersOf(served.runtime).count('agents/Orders/b');
  const leave = new AbortController();
  const stream = await fetch(`${base}/b?view=updates&live=sse&offset=now`, { signal: leave.signal });
  expect(stream.status).toBe(200);
  const poll = fetch(`${base}/b?view=updates&live=long-poll&offset=now`, { signal: leave.signal }).catch(
    () => {},
  );
  await eventually(() => present() === 2);
  leave.abort();
  await poll;
  await eventually(() => present() === 0);
});

it('admits nothing of an upload that breaks off (POST-15)', async () => {
  await new Promise<void>((resolve) => {
    const upload = httpRequest(`${base}/c`, {
      method: 'POST',
      headers: { ...headers, 'content-length': 1000 },
    });
    upload.on('error', () => resolve());
    upload.write('{"kind":"user","body":"half');
    setTimeout(() => upload.destroy(new Error('gone')), 20);
  });
  expect((await fetch(`${base}/c`)).status).toBe(404);
});

it('answers an oversized upload instead of reading it (HTTP-14)', async () => {
  const response = await fetch(`${base}/d/abort`, {
    method: 'POST',
    headers,
    body: JSON.stringify('x'.repeat(70_000)),
  });
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({
    error: { type: 'payload_too_large', meta: { limitBytes: 65_536 } },
  });
});

async function eventually(holds: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it never held');
}
