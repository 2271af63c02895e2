import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from './served-agent.fixture.ts';

const bytes = Buffer.from('89504e470d0a1a0a', 'hex');
let served: Served;
let ids: string[];

beforeAll(async () => {
  served = await serve(() => ({ text: 'Seen.' }));
  const image = (mimeType: string, filename?: string) => ({
    type: 'image',
    data: bytes.toString('base64'),
    mimeType,
    ...(filename !== undefined && { filename }),
  });
  const attachments = [
    image('image/png', 'a "b" €.png'),
    image('image/svg+xml', "x'\ud800.svg"),
    image('image/png'),
  ];
  const sent = await served.post('/42', { kind: 'user', body: 'Look', attachments });
  expect(sent.status).toBe(202);
  const { messages } = (await (await served.fetch('/42')).json()) as {
    messages: { parts: { type: string; id: string }[] }[];
  };
  ids = messages[0]!.parts.filter(({ type }) => type === 'file').map(({ id }) => id);
});
afterAll(() => served.stop());

const get = (id: string | undefined, init?: RequestInit) => served.fetch(`/42/attachments/${id}`, init);

describe('GET /:id/attachments/:attachmentId', () => {
  it('gives the bytes with what a cache and a browser must know of them (BLOB-01, BLOB-02)', async () => {
    const response = await get(ids[0]);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '8',
      'cache-control': 'private, max-age=31536000, immutable',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    });
  });

  it('shows in place only what cannot run, under a name that cannot break the header (BLOB-03, RED-05)', async () => {
    const dispositions = [];
    for (const id of ids) dispositions.push((await get(id)).headers.get('content-disposition'));
    expect(dispositions).toEqual([
      `inline; filename="a _b_ _.png"; filename*=UTF-8''a%20%22b%22%20%E2%82%AC.png`,
      `attachment; filename="x'_.svg"; filename*=UTF-8''x%27%EF%BF%BD.svg`,
      'inline',
    ]);
  });

  it('HEAD has the headers alone (HTTP-05)', async () => {
    const response = await get(ids[0], { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      200,
      '8',
      '',
    ]);
  });

  it('is 404 for an unknown id, and for an instance without a message (BLOB-01, STRM-08)', async () => {
    const type = async (response: Response) =>
      ((await response.json()) as { error: { type: string } }).error.type;
    expect(await type(await get('att_unknown'))).toBe('attachment_not_found');
    expect(await type(await served.fetch(`/none/attachments/${ids[0]}`))).toBe('stream_not_found');
    await served.post('/43', { kind: 'user', body: 'x' });
    expect(await type(await served.fetch(`/43/attachments/${ids[0]}`))).toBe('attachment_not_found');
  });

  it('is not sent again to who has it (BLOB-04)', async () => {
    const etag = (await get(ids[0])).headers.get('etag') ?? '';
    expect(etag).toBe(`"${createHash('sha256').update(bytes).digest('hex')}"`);
    const response = await get(ids[0], { headers: { 'if-none-match': etag } });
    expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', etag]);
  });

  it.each([
    ['bytes=0-3', 206, 'bytes 0-3/8', '89504e47'],
    ['bytes=4-', 206, 'bytes 4-7/8', '0d0a1a0a'],
    ['bytes=-2', 206, 'bytes 6-7/8', '1a0a'],
    ['bytes=-99', 206, 'bytes 0-7/8', '89504e470d0a1a0a'],
    ['bytes=6-99', 206, 'bytes 6-7/8', '1a0a'],
    ['bytes=8-', 416, 'bytes */8', ''],
    ['bytes=-0', 416, 'bytes */8', ''],
    ['bytes=0-1,4-5', 200, null, '89504e470d0a1a0a'],
    ['bytes=5-2', 200, null, '89504e470d0a1a0a'],
    ['lines=1-2', 200, null, '89504e470d0a1a0a'],
  ])('answers %s with %i (BLOB-04)', async (range, status, contentRange, hex) => {
    const response = await get(ids[0], { headers: { range } });
    expect([response.status, response.headers.get('content-range')]).toEqual([status, contentRange]);
    const body = Buffer.from(await response.arrayBuffer());
    expect(body.toString('hex')).toBe(hex);
    if (status !== 416) expect(response.headers.get('content-length')).toBe(String(body.length));
  });

  it('sends the whole when the range is of another version (BLOB-04)', async () => {
    const response = await get(ids[0], { headers: { range: 'bytes=0-3', 'if-range': '"other"' } });
    expect(response.status).toBe(200);
  });

  it('sends a large one in slices (BLOB-04)', async () => {
    const large = Buffer.alloc(300_000, 7);
    const attachments = [{ type: 'image', data: large.toString('base64'), mimeType: 'image/png' }];
    const { submissionId } = (await (
      await served.post('/44', { kind: 'user', body: 'x', attachments })
    ).json()) as {
      submissionId: string;
    };
    const response = await served.fetch(`/44/attachments/att_${submissionId}_0`);
    const sizes: number[] = [];
    for await (const slice of response.body as unknown as AsyncIterable<Uint8Array>)
      sizes.push(slice.byteLength);
    expect(sizes).toEqual([65_536, 65_536, 65_536, 65_536, 37_856]);
  });
});
