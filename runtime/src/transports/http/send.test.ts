import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { setCurrentRuntime } from '../../app/current.ts';
import { type Served, serve } from './served-agent.fixture.ts';

let served: Served;
beforeAll(async () => {
  served = await serve(() => ({ text: 'Yes.' }));
});
afterAll(() => served.stop());

interface Receipt {
  streamUrl: string;
  offset: string;
  submissionId: string;
  uid: string;
  acceptedAt: string;
  deduplicated?: true;
}
interface Failure {
  error: { type: string; details: string; meta?: Record<string, unknown> };
}

const user = { kind: 'user', body: 'Hello' };

async function receipt(response: Promise<Response> | Response): Promise<Receipt> {
  const answered = await response;
  expect(answered.status).toBe(202);
  return (await answered.json()) as Receipt;
}

async function failure(response: Promise<Response> | Response): Promise<[number, string, Failure['error']]> {
  const answered = await response;
  const { error } = (await answered.json()) as Failure;
  return [answered.status, error.type, error];
}

describe('POST /:id', () => {
  it('answers 202 with a receipt that its headers repeat (POST-09, POST-10)', async () => {
    const response = await served.post('/receipt?x=1', user);
    const headers = Object.fromEntries(response.headers);
    const body = await receipt(response);
    expect(Object.keys(body)).toEqual(['streamUrl', 'offset', 'submissionId', 'uid', 'acceptedAt']);
    expect(body.streamUrl).toBe('http://flue.test/agents/orders/receipt');
    expect(headers).toMatchObject({ location: body.streamUrl, 'stream-next-offset': body.offset });
    expect(new Date(body.acceptedAt).toISOString()).toBe(body.acceptedAt);
  });

  it('gives an offset from which all that it causes shows, and not the message itself (POST-10)', async () => {
    const { offset, submissionId } = await receipt(served.post('/caused', user));
    expect((await served.fetch(`/caused?view=updates&offset=${offset}`)).status).toBe(200);
    await served.settled('caused', submissionId);
    const chunks = (await (await served.fetch(`/caused?view=updates&offset=${offset}`)).json()) as {
      type: string;
    }[];
    const types = chunks.map(({ type }) => type);
    expect(types).not.toContain('message-appended');
    expect(types.at(0)).toBe('stream-checkpoint');
    expect(types.at(-1)).toBe('submission-settled');
  });

  it.each([
    ['a JSON string', '"Hello"'],
    ['an array', '[{"kind":"user","body":"x"}]'],
    ['a number', '7'],
    ['null', 'null'],
    ['nothing', ''],
  ])('refuses a body that is %s (POST-02, HTTP-13)', async (_, body) => {
    expect((await failure(served.post('/bad', body))).slice(0, 2)).toEqual([400, 'invalid_request']);
  });

  it.each([
    ['no kind', { body: 'x' }, 'kind'],
    ['a body that is no text', { kind: 'user', body: 7 }, 'body'],
    [
      'an attachment that is no base64',
      { kind: 'user', body: '', attachments: [{ type: 'image', data: '%%', mimeType: 'image/png' }] },
      'data',
    ],
    ['a reserved signal type', { kind: 'signal', type: 'compaction', body: '' }, 'type'],
    ['an empty uid', { ...user, uid: '' }, 'uid'],
    ['a uid that is a number', { ...user, uid: 7 }, 'uid'],
    ['a string uid with initialData', { ...user, uid: 'inst_1', initialData: null }, 'initialData'],
  ])(
    'refuses %s and names it; nothing is stored (POST-01, POST-04, POST-05, POST-07)',
    async (_, body, field) => {
      const [status, type, error] = await failure(served.post('/refused', body));
      expect([status, type]).toEqual([400, 'invalid_request']);
      expect(error.details).toContain(field);
      expect((await served.fetch('/refused')).status).toBe(404);
    },
  );

  it('has no mode that waits for the reply (POST-08)', async () => {
    for (const query of ['?wait', '?wait=result', '?wait=false']) {
      const [status, type, error] = await failure(served.post(`/wait${query}`, user));
      expect([status, type]).toEqual([400, 'invalid_request']);
      expect(error.details).toContain('wait');
    }
  });

  it('holds the condition of its uid (POST-07)', async () => {
    const { uid, submissionId } = await receipt(served.post('/uid', { ...user, uid: null }));
    expect((await failure(served.post('/uid', { ...user, uid: null }))).slice(0, 2)).toEqual([
      409,
      'agent_instance_exists',
    ]);
    expect((await failure(served.post('/uid', { ...user, uid: 'inst_other' }))).slice(0, 2)).toEqual([
      404,
      'agent_instance_not_found',
    ]);
    expect((await failure(served.post('/absent', { ...user, uid: 'inst_other' })))[1]).toBe(
      'agent_instance_not_found',
    );
    await served.settled('uid', submissionId);
    expect((await receipt(served.post('/uid', { ...user, uid }))).uid).toBe(uid);
  });

  it('says in development which fields it dropped, and stores none of them (POST-03)', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { runtime } = served;
    const sent = { ...user, attachment: [], 'x\n': 1 };
    const inProduction = await served.post('/typo', sent);
    setCurrentRuntime(Object.create(runtime, { mode: { value: 'development' } }));
    const inDevelopment = await served.post('/typo', sent);
    setCurrentRuntime(runtime);
    expect(inProduction.headers.has('flue-ignored-fields')).toBe(false);
    expect(inDevelopment.headers.get('flue-ignored-fields')).toBe('attachment, x%0A');
    expect(warn.mock.calls.flat().join()).toContain('["attachment","x\\n"]');
    warn.mockRestore();
    const { submissionId } = await receipt(inProduction);
    expect((await served.runtime.store.submission(submissionId))?.payload).not.toContain('attachment');
  });
});

describe('creation data', () => {
  const create = (id: string, body: object) =>
    served.app.request(`/agents/tickets/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...user, ...body }),
    });

  it('that does not fit lists each issue with its path (POST-06)', async () => {
    expect(await failure(create('1', { initialData: { owner: 7 } }))).toEqual([
      400,
      'invalid_request',
      expect.objectContaining({
        meta: expect.objectContaining({ issues: [expect.objectContaining({ path: ['owner'] })] }),
      }),
    ]);
    expect((await failure(create('1', {})))[0]).toBe(400);
    expect((await served.app.request('/agents/tickets/1')).status).toBe(404);
  });

  it('may be null where the schema says so, and null is not absence (POST-06)', async () => {
    await receipt(create('2', { initialData: { owner: null } }));
    expect((await failure(create('3', { initialData: null })))[0]).toBe(400);
  });
});

describe('an idempotency key', () => {
  it('admits once and hands back the first receipt, from the body or the header (POST-11, POST-12)', async () => {
    const first = await receipt(served.post('/keyed', { ...user, idempotencyKey: 'k1' }));
    await served.settled('keyed', first.submissionId);
    const again = await receipt(served.post('/keyed', user, { 'idempotency-key': 'k1' }));
    expect(again).toEqual({ ...first, deduplicated: true });
    const { messages } = (await (await served.fetch('/keyed')).json()) as { messages: unknown[] };
    expect(messages).toHaveLength(2);
  });

  it('makes concurrent duplicates one delivery (POST-12)', async () => {
    const sends = Array.from({ length: 8 }, () =>
      receipt(served.post('/burst', { ...user, idempotencyKey: 'k' })),
    );
    const receipts = await Promise.all(sends);
    expect(new Set(receipts.map(({ submissionId }) => submissionId)).size).toBe(1);
    expect(receipts.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
  });

  it('comes before the condition, so a lost answer can be asked for again (POST-13)', async () => {
    const body = { ...user, uid: null, idempotencyKey: 'create' };
    const first = await receipt(served.post('/create', body));
    expect((await receipt(served.post('/create', body))).submissionId).toBe(first.submissionId);
  });

  it('names one delivery: another payload is a conflict, and two keys are a mistake (POST-11, POST-14)', async () => {
    const { submissionId } = await receipt(served.post('/conflict', { ...user, idempotencyKey: 'k' }));
    const other = { kind: 'user', body: 'Other', idempotencyKey: 'k' };
    expect(await failure(served.post('/conflict', other))).toEqual([
      409,
      'submission_conflict',
      expect.objectContaining({ meta: { submissionId } }),
    ]);
    const two = served.post('/conflict', { ...user, idempotencyKey: 'a' }, { 'idempotency-key': 'b' });
    expect((await failure(two)).slice(0, 2)).toEqual([400, 'invalid_request']);
  });
});
