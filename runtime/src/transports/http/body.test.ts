import { describe, expect, it } from 'vitest';
import { readJsonBody } from './body.ts';
import { ClientGoneError } from './request.ts';

const LIMIT = 100;
const json = { 'content-type': 'application/json' };

function post(body: RequestInit['body'], headers: Record<string, string> = json): Request {
  return new Request('http://flue.test/x', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
}

/** A body that counts how far it was read. */
function chunked(chunks: (string | Uint8Array | Error)[]) {
  const seen = { pulled: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[seen.pulled++];
        if (chunk instanceof Error) controller.error(chunk);
        else if (chunk === undefined) controller.close();
        else controller.enqueue(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
      },
      cancel() {
        seen.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, seen };
}

describe('the media type of a body', () => {
  it.each(['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8";x=y'])(
    'takes %s (HTTP-12)',
    async (type) => {
      expect(await readJsonBody(post('{"a":1}', { 'content-type': type }), LIMIT)).toEqual({ a: 1 });
    },
  );

  it.each([
    ['text/plain;a=application/json'],
    ['application/json; charset=latin1'],
    ['application/json-seq'],
    ['multipart/form-data'],
  ])('refuses %s (HTTP-12)', async (type) => {
    await expect(readJsonBody(post('{}', { 'content-type': type }), LIMIT)).rejects.toMatchObject({
      type: 'unsupported_media_type',
      status: 415,
      details: expect.stringContaining(type),
    });
  });

  it('refuses a body without a type and any encoding, identity too (HTTP-13)', async () => {
    const { body } = chunked(['{}']);
    await expect(readJsonBody(post(body, {}), LIMIT)).rejects.toMatchObject({ status: 415 });
    for (const encoding of ['gzip', 'identity']) {
      const encoded = post('{}', { ...json, 'content-encoding': encoding });
      await expect(readJsonBody(encoded, LIMIT)).rejects.toMatchObject({ status: 415 });
    }
  });

  it('reads an empty body as none, whatever its type (STOP-03)', async () => {
    expect(await readJsonBody(post(null, {}), LIMIT)).toBeUndefined();
    expect(await readJsonBody(post('', { 'content-type': 'text/plain' }), LIMIT)).toBeUndefined();
  });
});

describe('the text of a body', () => {
  it('must be JSON; the report gives the place and no long quotation (HTTP-13)', async () => {
    const body = `{"secret": ${'x'.repeat(60)}`;
    await expect(readJsonBody(post(body), LIMIT)).rejects.toMatchObject({
      type: 'invalid_json',
      details: 'Unexpected "xxxxxxxx" at position 11.',
    });
  });

  it('must be UTF-8, also at its end (HTTP-13)', async () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xe2, 0x82],
    ]) {
      await expect(readJsonBody(post(new Uint8Array(bytes)), LIMIT)).rejects.toMatchObject({
        type: 'invalid_json',
      });
    }
  });

  it('is put together over chunks that cut a character', async () => {
    const { body } = chunked([new Uint8Array([0x22, 0xe2]), new Uint8Array([0x82, 0xac, 0x22])]);
    expect(await readJsonBody(post(body), LIMIT)).toBe('€');
  });
});

describe('the size of a body', () => {
  it('is refused by its length before a byte is read (HTTP-14)', async () => {
    const { body, seen } = chunked(['x'.repeat(50), 'x'.repeat(60)]);
    const request = post(body, { ...json, 'content-length': '110' });
    await expect(readJsonBody(request, LIMIT)).rejects.toMatchObject({
      type: 'payload_too_large',
      status: 413,
      meta: { limitBytes: LIMIT },
    });
    expect(seen.pulled).toBe(0);
  });

  it('is refused at the chunk that crosses the limit, and the rest is cancelled (HTTP-14)', async () => {
    const { body, seen } = chunked(Array.from({ length: 50 }, () => 'x'.repeat(40)));
    await expect(readJsonBody(post(body), LIMIT)).rejects.toMatchObject({ status: 413 });
    expect(seen.pulled).toBeLessThanOrEqual(4);
    expect(seen.cancelled).toBe(true);
  });

  it('may be the limit exactly (HTTP-14)', async () => {
    const body = JSON.stringify('x'.repeat(LIMIT - 2));
    expect(await readJsonBody(post(body), LIMIT)).toHaveLength(LIMIT - 2);
  });

  it('an upload that breaks off is nobody to answer (POST-15)', async () => {
    const { body } = chunked(['{"kind":', new Error('socket closed')]);
    await expect(readJsonBody(post(body), LIMIT)).rejects.toBeInstanceOf(ClientGoneError);
  });
});
