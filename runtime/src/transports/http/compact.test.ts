import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from './served-agent.fixture.ts';

let served: Served;
beforeAll(async () => {
  served = await serve(({ options }) => ({ text: options.purpose === 'agent' ? 'Hello.' : 'A summary.' }));
});
afterAll(() => served.stop());

const answer = async (response: Response) => [response.status, await response.json()];
const compact = (id: string, body?: unknown) =>
  body === undefined
    ? served.fetch(`/${id}/compact`, { method: 'POST' })
    : served.post(`/${id}/compact`, body);

async function contacted(id: string): Promise<void> {
  const sent = await (await served.post(`/${id}`, { kind: 'user', body: 'Hello'.repeat(8_000) })).json();
  await served.settled(id, (sent as { submissionId: string }).submissionId);
}

describe('POST /:id/compact', () => {
  it('answers once the request is durable; the stream tells what came of it (STOP-05, HIST-13)', async () => {
    await contacted('long');
    await contacted('long');
    expect(await answer(await compact('long', { instructions: 'Keep the numbers.' }))).toEqual([
      202,
      { requested: true },
    ]);
    let offset = '-1';
    for (let text = ''; !text.includes('A summary.'); ) {
      const response = await served.fetch(`/long?view=updates&live=long-poll&offset=${offset}`);
      text = await response.text();
      offset = response.headers.get('stream-next-offset') ?? offset;
    }
    const { messages } = (await (await served.fetch('/long')).json()) as { messages: { signal?: object }[] };
    expect(messages.filter(({ signal }) => signal)).toMatchObject([
      { purpose: 'advisory', display: 'diagnostic', signal: { type: 'compaction' } },
    ]);
  });

  it('takes an empty body, and refuses any other field, wrong instructions and an absent instance (STOP-05)', async () => {
    await contacted('plain');
    expect((await compact('plain')).status).toBe(202);
    expect((await compact('plain', { instruction: 'x' })).status).toBe(400);
    expect((await compact('plain', { instructions: 7 })).status).toBe(400);
    expect((await compact('plain', ['x'])).status).toBe(400);
    expect(await answer(await compact('absent'))).toMatchObject([
      404,
      { error: { type: 'agent_instance_not_found' } },
    ]);
  });
});
