import { describe, expect, it } from 'vitest';
import type { ModelEnd, ModelEvent, ModelRequest } from '../../../ports/model-gateway.ts';
import { fakeClock } from '../../../testing/fake-clock.ts';
import { createModelGateway } from '../../models/create-model-gateway.ts';

const gateway = createModelGateway({
  env: {},
  clock: fakeClock(),
  settings: { retries: 3, retryBaseMs: 2000, idleTimeoutMs: 0, requestTimeoutMs: 0 },
});
const request: ModelRequest = {
  specifier: 'offline/demo',
  system: '12345678',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look up order ORD-1042' },
        { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
      ],
    },
  ],
  tools: [
    {
      name: 'lookup_order',
      description: 'Finds an order.',
      parameters: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
    },
  ],
  thinkingLevel: 'medium',
  sessionId: 'conv_1',
  purpose: 'agent',
};

async function play(o: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of gateway.stream({ ...request, ...o }, new AbortController().signal))
    events.push(event);
  return events;
}

describe('offline/demo', () => {
  it('is there in every host, and no other model is (OFF-01, OFF-14, SPEC-05)', async () => {
    expect(await gateway.resolve('offline/demo')).toEqual({
      provider: 'offline',
      id: 'demo',
      api: 'offline',
      contextWindow: 128_000,
      maxTokens: 8_192,
      reasoning: false,
      input: ['text', 'image'],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      source: 'offline',
    });
    await expect(gateway.resolve('offline/dmeo')).rejects.toMatchObject({
      type: 'unknown_model',
      meta: { specifier: 'offline/dmeo', suggestions: ['demo'], declared: ['demo', 'script'] },
    });
  });

  it('gives the same call, id and delta boundaries for the same transcript, and another id for another (OFF-03)', async () => {
    const first = await play();
    expect(first).toMatchObject([
      {
        type: 'call',
        block: 0,
        tool: 'lookup_order',
        id: expect.stringMatching(/^off_[0-9a-f]{16}$/),
        delta: '{"orderId":"ORD-',
      },
      { type: 'call', delta: '1042"}' },
      { type: 'end', stop: 'toolUse', responseModel: 'flue-offline-demo' },
    ]);
    expect(await play({ sessionId: 'conv_2' })).toEqual(first);
    const other = await play({ messages: [...request.messages, ...request.messages] });
    expect(other[0]).not.toEqual(first[0]);
  });

  it('estimates usage at 4 characters per token, counts images, and costs nothing (OFF-14, USAGE-01)', async () => {
    const { usage } = (await play({ tools: [] })).at(-1) as ModelEnd;
    const chars = '12345678'.length + 'look up order ORD-1042'.length + 4_800;
    expect(usage.input).toBe(Math.ceil(chars / 4));
    expect(usage.output).toBeGreaterThan(0);
    expect(usage).toMatchObject({ totalTokens: usage.input + usage.output, cost: { total: 0 } });
  });

  it('ends between two deltas when it is aborted (OFF-14)', async () => {
    const control = new AbortController();
    const events: ModelEvent[] = [];
    for await (const event of gateway.stream({ ...request, tools: [] }, control.signal)) {
      events.push(event);
      if (events.length === 2) control.abort();
    }
    expect(events).toHaveLength(3);
    expect(events.at(-1)).toMatchObject({ type: 'end', stop: 'aborted' });
  });
});
