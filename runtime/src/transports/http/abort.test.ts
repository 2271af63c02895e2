import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from './served-agent.fixture.ts';

let served: Served;
beforeAll(async () => {
  const hold = { toolCalls: [{ name: 'hold', arguments: { orderId: '7' } }] };
  served = await serve(({ messages }) => (messages.at(-1)?.role === 'user' ? hold : { text: 'Done.' }));
});
afterAll(() => served.stop());

const send = async (id: string) =>
  ((await (await served.post(`/${id}`, { kind: 'user', body: 'x' })).json()) as { submissionId: string })
    .submissionId;
const answer = async (response: Response) => [response.status, await response.json()];

/** A submission whose tool is running. */
async function busy(id: string): Promise<string> {
  const submissionId = await send(id);
  const path = `/${id}?view=updates&live=long-poll`;
  let offset = '-1';
  for (;;) {
    const response = await served.fetch(`${path}&offset=${offset}`);
    if ((await response.text()).includes('tool-input')) return submissionId;
    offset = response.headers.get('stream-next-offset') ?? offset;
  }
}

describe('POST /:id/abort', () => {
  it('stops the running submission and what waits behind it (STOP-01, STOP-02)', async () => {
    const running = await busy('all');
    const waiting = await send('all');
    expect(await answer(await served.fetch('/all/abort', { method: 'POST' }))).toEqual([
      200,
      { aborted: true },
    ]);
    expect((await served.settled('all', running)).settlement?.outcome).toBe('aborted');
    expect((await served.settled('all', waiting)).settlement?.outcome).toBe('aborted');
    expect(await answer(await served.fetch('/all/abort', { method: 'POST' }))).toEqual([
      200,
      { aborted: false },
    ]);
  });

  it('leaves one advisory with the settlement, and no part of the response live (HIST-06, HIST-08)', async () => {
    const submissionId = await busy('advised');
    await served.fetch('/advised/abort', { method: 'POST' });
    await served.settled('advised', submissionId);
    const { messages } = (await (await served.fetch('/advised')).json()) as {
      messages: {
        purpose: string;
        submissionId: string;
        settlement?: unknown;
        parts: { state?: string }[];
      }[];
    };
    const advisories = messages.filter(({ settlement }) => settlement !== undefined);
    expect(advisories).toMatchObject([
      { purpose: 'advisory', submissionId, settlement: { outcome: 'aborted' } },
    ]);
    const states = messages.flatMap(({ parts }) => parts.map(({ state }) => state));
    expect(states).toContain('output-error');
    expect(states).not.toContain('input-available');
    expect(states).not.toContain('streaming');
  });

  it('with a submission stops that one alone (STOP-03)', async () => {
    const running = await busy('one');
    const scoped = await served.post('/one/abort', { submissionId: running });
    expect(await answer(scoped)).toEqual([200, { aborted: true }]);
    await served.settled('one', running);
    expect(await answer(await served.post('/one/abort', { submissionId: running }))).toEqual([
      200,
      { aborted: false },
    ]);
    const unknown = await served.post('/one/abort', { submissionId: 'sub_unknown' });
    expect(await answer(unknown)).toMatchObject([404, { error: { type: 'submission_not_found' } }]);
  });

  it('answers while the attempt and other readers wait (STOP-04)', async () => {
    const running = await busy('waits');
    const parked = served.fetch('/waits?view=updates&live=long-poll&offset=now');
    const settled = served.settled('waits', running);
    expect(await answer(await served.fetch('/waits/abort', { method: 'POST' }))).toEqual([
      200,
      { aborted: true },
    ]);
    await parked;
    expect((await settled).settlement?.outcome).toBe('aborted');
  });

  it('of an absent instance is 404 (STOP-01)', async () => {
    const response = await served.fetch('/absent/abort', { method: 'POST' });
    expect(await answer(response)).toMatchObject([404, { error: { type: 'agent_instance_not_found' } }]);
  });

  it.each(['{"submissionID":"sub_1"}', '{"submissionId":7}', '{"submissionId":""}', '[]', '"sub_1"'])(
    'refuses %s, which it could take for an abort of everything (STOP-03)',
    async (body) => {
      await send('careful');
      expect(await answer(await served.post('/careful/abort', body))).toMatchObject([
        400,
        { error: { type: 'invalid_request' } },
      ]);
    },
  );
});
