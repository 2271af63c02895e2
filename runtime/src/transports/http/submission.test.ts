import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from './served-agent.fixture.ts';

let served: Served;
beforeAll(async () => {
  served = await serve(({ messages }) =>
    messages.at(-1)?.role === 'user'
      ? { toolCalls: [{ name: 'hold', arguments: { orderId: '7' } }], usage: { totalTokens: 10 } }
      : { text: 'Held.', usage: { totalTokens: 5 } },
  );
});
afterAll(() => served.stop());

type Body = Record<string, unknown> & { state?: string; error?: { type: string } };
const get = async (path: string) => {
  const response = await served.fetch(path);
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
};

describe('GET /:id/submissions/:submissionId', () => {
  it('follows one submission from its admission to its reply (SUBR-01, SUBR-02, SUBR-03)', async () => {
    const receipt = (await (await served.post('/42', { kind: 'user', body: 'Hold 7' })).json()) as Record<
      string,
      string
    >;
    const path = `/42/submissions/${receipt.submissionId}`;
    const { submissionId, acceptedAt, uid, offset } = receipt;

    const first = await get(path);
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.body).toEqual({ submissionId, state: first.body.state, acceptedAt, uid, offset });
    expect(['queued', 'running']).toContain(first.body.state);

    let seen = first.body.state;
    const states = [];
    while (seen !== 'settled') {
      const parked = get(`${path}?live=long-poll`);
      if (seen === 'running') served.letGo();
      seen = (await parked).body.state;
      states.push(seen);
    }
    expect(states.at(-1)).toBe('settled');

    const settled = await get(path);
    expect(settled.body).toMatchObject({
      state: 'settled',
      settlement: { submissionId, outcome: 'completed' },
      reply: { text: 'Held.', data: {}, submissionId, uid, usage: { totalTokens: 15 } },
    });
    expect(settled.body).toEqual(JSON.parse(JSON.stringify(await served.settled('42', submissionId!))));
    expect((await get(`${path}?live=long-poll`)).body).toEqual(settled.body);
  });

  it('has no reply for what did not complete (SUBR-01)', async () => {
    const failing = (await (await served.post('/43', { kind: 'user', body: 'x' })).json()) as {
      submissionId: string;
    };
    await served.fetch('/43/abort', { method: 'POST' });
    const { settlement } = await served.settled('43', failing.submissionId);
    const { body } = await get(`/43/submissions/${failing.submissionId}`);
    expect(body).not.toHaveProperty('reply');
    expect(body.settlement).toEqual(settlement);
    expect(settlement).toMatchObject({ outcome: 'aborted', error: { type: 'submission_aborted' } });
  });

  it('knows only what its own instance accepted (SUBR-01, STRM-08)', async () => {
    const { body } = await get('/absent/submissions/sub_1');
    expect(body.error?.type).toBe('agent_instance_not_found');
    const other = (await (await served.post('/44', { kind: 'user', body: 'x' })).json()) as {
      submissionId: string;
    };
    expect((await get('/43/submissions/sub_unknown')).body.error?.type).toBe('submission_not_found');
    expect((await get(`/43/submissions/${other.submissionId}`)).body.error?.type).toBe(
      'submission_not_found',
    );
  });

  it('parks for a long-poll and for nothing else (SUBR-02)', async () => {
    expect((await get('/43/submissions/sub_1?live=sse')).status).toBe(400);
  });
});
