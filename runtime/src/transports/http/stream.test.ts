import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHistory } from '../../app/reader.ts';
import type { ConversationSnapshot } from '../../conversation/projections/chunk.ts';
import { formatOffset } from '../../ports/offset.ts';
import { type Served, serve } from './served-agent.fixture.ts';

let served: Served;
let head: string;

beforeAll(async () => {
  served = await serve([
    { text: 'Let me look.', toolCalls: [{ name: 'hold', arguments: { orderId: '7' } }] },
    { text: 'It comes on Friday.' },
  ]);
  served.letGo();
  const sent = await served.post('/42', { kind: 'user', body: 'Where is order 7?' });
  const { submissionId } = (await sent.json()) as { submissionId: string };
  await served.settled('42', submissionId);
  head = (await readHistory(served.runtime.store, 'agents/Orders/42')).offset;
});
afterAll(() => served.stop());

const get = (query: string, headers: Record<string, string> = {}) => served.fetch(`/42${query}`, { headers });
const problem = async (response: Response) => [
  response.status,
  ((await response.json()) as { error: { type: string } }).error.type,
];

describe('GET /:id, history', () => {
  it('is the snapshot with its coordination headers, never cached (HIST-01, STRM-06, STRM-07)', async () => {
    const response = await get('');
    const snapshot = (await response.json()) as ConversationSnapshot;
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'stream-next-offset': snapshot.offset,
      'stream-up-to-date': 'true',
      'stream-incarnation': snapshot.incarnation,
    });
    expect(snapshot).toMatchObject({
      v: 1,
      offset: head,
      pending: [],
      settlements: [{ outcome: 'completed' }],
    });
    expect(snapshot.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(await (await get('?view=history')).json()).toEqual(snapshot);
  });

  it('shows a response as one message with its parts in order, none of them live (HIST-03, HIST-08)', async () => {
    const { messages } = (await (await get('')).json()) as ConversationSnapshot;
    expect(messages[1]?.parts).toEqual([
      { type: 'text', text: 'Let me look.', state: 'done' },
      {
        type: 'dynamic-tool',
        toolName: 'hold',
        toolCallId: expect.any(String),
        state: 'output-available',
        input: { orderId: '7' },
        inputValid: true,
        output: { held: '7' },
        durationMs: expect.any(Number),
      },
      { type: 'text', text: 'It comes on Friday.', state: 'done' },
    ]);
  });

  it('answers a known tag with 304, without reading a batch (HIST-02)', async () => {
    const etag = (await get('')).headers.get('etag') ?? '';
    const { runtime } = served;
    const read = runtime.store.read;
    runtime.store.read = () => Promise.reject(new Error('no batch may be read'));
    const response = await get('', { 'if-none-match': `"other", W/${etag}` }).finally(
      () => (runtime.store.read = read),
    );
    expect(response.status).toBe(304);
    expect(await response.text()).toBe('');
    expect(response.headers.get('stream-next-offset')).toBe(head);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await get('', { 'if-none-match': '"other"' })).status).toBe(200);
    const asked = await served.fetch('/42', { method: 'HEAD', headers: { 'if-none-match': etag } });
    expect(asked.status).toBe(304);
  });

  it.each([
    '?view=all',
    '?offset=-1',
    '?live=sse',
    '?tail=5',
    '?view=history&offset=-1',
    '?view=history&view=updates',
  ])('refuses %s (HIST-01)', async (query) => {
    expect(await problem(await get(query))).toEqual([400, 'invalid_request']);
  });
});

describe('GET /:id, history in pages', () => {
  type Page = ConversationSnapshot;
  const page = async (query: string) => (await (await served.fetch(`/pages${query}`)).json()) as Page;
  const say = async () => {
    const sent = (await (await served.post('/pages', { kind: 'user', body: 'x' })).json()) as {
      submissionId: string;
    };
    await served.settled('pages', sent.submissionId);
  };

  it('neither overlap nor skip while the conversation grows (HIST-12)', async () => {
    served.script.append(Array.from({ length: 4 }, () => ({ text: 'Yes.' })));
    for (let round = 0; round < 3; round += 1) await say();
    const whole = await page('');
    expect(whole).not.toHaveProperty('window');

    const newest = await page('?limit=4');
    await say();
    const before = await page(`?limit=4&before=${newest.window?.previousCursor}`);
    expect([...before.messages, ...newest.messages]).toEqual(whole.messages);
    expect(newest.window?.hasMore).toBe(true);
    expect(before.window).toEqual({ hasMore: false });
    expect(newest.settlements).toEqual(whole.settlements.slice(1));
    expect(before.settlements).toEqual(whole.settlements.slice(0, 1));
  });

  it('have a tag of their own (HIST-02)', async () => {
    const tags = await Promise.all(
      ['', '?limit=1', '?limit=2'].map(async (q) => (await served.fetch(`/pages${q}`)).headers.get('etag')),
    );
    expect(new Set(tags).size).toBe(3);
    const again = await served.fetch('/pages?limit=1', { headers: { 'if-none-match': tags[1] ?? '' } });
    expect(again.status).toBe(304);
  });

  it.each([
    '?limit=0',
    '?limit=501',
    '?limit=x',
    '?limit=',
    '?before=inc_X.2',
    '?limit=2&before=2',
    '?limit=2&before=inc_X.-1',
  ])('refuses %s (HIST-12)', async (query) => {
    expect(await problem(await served.fetch(`/pages${query}`))).toEqual([400, 'invalid_request']);
  });

  it('of another incarnation are gone (HIST-12)', async () => {
    expect(await problem(await served.fetch('/pages?limit=2&before=inc_OTHER.2'))).toEqual([
      416,
      'stream_offset_gone',
    ]);
  });
});

describe('HEAD /:id', () => {
  it('tells where the stream stands, without a body (STRM-10)', async () => {
    const response = await served.fetch('/42', { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'stream-next-offset': head,
      'stream-up-to-date': 'true',
      'stream-incarnation': expect.stringMatching(/^inc_/),
      etag: (await get('')).headers.get('etag'),
    });
  });

  it('of an instance without a message is a bare 404 (STRM-08, ENV-07)', async () => {
    const response = await served.fetch('/none', { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([404, '']);
    expect(response.headers.get('content-type')).toBe('application/json');
  });
});

describe('GET /:id, updates', () => {
  const updates = (offset: string, more = '') => get(`?view=updates&offset=${offset}${more}`);

  it('from -1 begins with the checkpoint and a reset (CHNK-04, UPD-02)', async () => {
    const response = await updates('-1');
    const chunks = (await response.json()) as { type: string; incarnation?: string }[];
    expect(chunks.slice(0, 2).map(({ type }) => type)).toEqual(['stream-checkpoint', 'conversation-reset']);
    expect(chunks[0]?.incarnation).toBe(response.headers.get('stream-incarnation'));
    expect(response.headers.get('stream-next-offset')).toBe(head);
    expect(response.headers.get('stream-up-to-date')).toBe('true');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('at the head and from now is the checkpoint alone (STRM-02, UPD-02)', async () => {
    for (const offset of [head, 'now', '0_'.concat(String(Number(head.split('_')[1])))]) {
      const response = await updates(offset);
      expect(await response.json()).toEqual([{ type: 'stream-checkpoint', incarnation: expect.any(String) }]);
      expect(response.headers.get('stream-next-offset')).toBe(head);
    }
  });

  it('resumes exactly after any offset (STRM-01)', async () => {
    const all = (await (await updates('-1')).json()) as { position?: { batch: number } }[];
    for (const batch of [1, 2, 3]) {
      const rest = await (await updates(formatOffset(batch))).json();
      expect((rest as unknown[]).slice(1)).toEqual(
        all.filter(({ position }) => position && position.batch > batch),
      );
    }
  });

  it('pages: up to date is absent until the head is reached (UPD-02, STRM-06)', async () => {
    const { runtime } = served;
    const { setCurrentRuntime } = await import('../../app/current.ts');
    const http = { ...runtime.settings.http, pageBatches: 2 };
    setCurrentRuntime(Object.create(runtime, { settings: { value: { ...runtime.settings, http } } }));
    const response = await updates('-1').finally(() => setCurrentRuntime(runtime));
    expect(response.headers.get('stream-next-offset')).toBe(formatOffset(2));
    expect(response.headers.has('stream-up-to-date')).toBe(false);
  });

  it.each([
    '',
    '&offset=',
    '&offset=5',
    '&offset=abc_1',
    '&offset=-2',
    '&offset=-1&offset=-1',
    '&offset=-1&live=poll',
    '&offset=-1&tail=1',
    '&offset=-1&live=',
  ])('refuses %s (STRM-03, UPD-01)', async (query) => {
    expect(await problem(await get(`?view=updates${query}`))).toEqual([400, 'invalid_request']);
  });

  it.each(['', '&live=long-poll', '&live=sse'])(
    'answers an offset beyond the head with 416 (STRM-04)%s',
    async (live) => {
      for (const offset of [formatOffset(999), '0000000000000001_0000000000000001', `0_${'9'.repeat(40)}`]) {
        const response = await updates(offset, live);
        expect(response.status).toBe(416);
        expect(await response.json()).toMatchObject({
          error: { type: 'stream_offset_gone', meta: { offset, nextOffset: head } },
        });
      }
    },
  );

  it('of an instance without a message is 404 in every mode (STRM-08)', async () => {
    for (const query of [
      '',
      '?view=updates&offset=-1',
      '?view=updates&offset=now&live=sse',
      '?view=updates&offset=-1&live=long-poll',
    ]) {
      expect(await problem(await served.fetch(`/none${query}`))).toEqual([404, 'stream_not_found']);
    }
  });
});

describe('long-poll', () => {
  const poll = (offset: string, init?: RequestInit) =>
    served.fetch(`/poll?view=updates&live=long-poll&offset=${offset}`, init);

  it('answers at once when there is news, else with the first batch (UPD-03)', async () => {
    served.script.append([{ text: 'One.' }, { text: 'Two.' }]);
    const first = (await (await served.post('/poll', { kind: 'user', body: '1' })).json()) as {
      submissionId: string;
    };
    expect((await (await poll('-1')).json()) as unknown[]).not.toHaveLength(1);
    await served.settled('poll', first.submissionId);

    const parked = poll('now');
    await served.post('/poll', { kind: 'user', body: '2' });
    const chunks = (await (await parked).json()) as { type: string }[];
    expect(chunks.map(({ type }) => type).slice(0, 2)).toEqual(['stream-checkpoint', 'message-appended']);
  });

  it('ends with 499 and nothing else when its client leaves (UPD-03, ENV-07)', async () => {
    const { offset } = await readHistory(served.runtime.store, 'agents/Orders/42');
    const leave = new AbortController();
    const parked = served.fetch(`/42?view=updates&live=long-poll&offset=${offset}`, { signal: leave.signal });
    leave.abort();
    const response = await parked;
    expect([response.status, await response.text()]).toEqual([499, '']);
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  });
});
