import { registerProvider } from '@flue/runtime';
import type { ModelEnd, ModelRequest } from '@flue/runtime/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WireServer } from '../support/wire-server.ts';
import { openGateway, play, requestOf, startWire, subjects } from './subjects.ts';

let server: WireServer;
beforeAll(async () => {
  server = await startWire();
});
beforeEach(() => server.reset());
afterAll(() => server.close());

const tools = [
  {
    name: 'lookup',
    description: 'Finds an order.',
    parameters: {
      type: 'object',
      properties: { order: { type: 'string' }, note: { type: 'string' } },
      required: ['order'],
      additionalProperties: false,
    },
  },
  { name: 'ping', description: 'Answers.', parameters: { type: 'object', properties: {} } },
];

describe.each(subjects)('a request over $protocol.api', ({ specifier, key, keyVariable, protocol }) => {
  async function ask(o: Partial<ModelRequest> = {}): Promise<ModelEnd> {
    server.answer({ text: ['Ok.'] });
    return (await play(openGateway(), requestOf(specifier, o))).end;
  }

  it('carries the system prompt, the message and the model, with the key of its variable (AUTH-01, SPEC-11)', async () => {
    await ask();
    const [request] = server.requests;
    expect(request?.path).toBe(protocol.path);
    expect(request?.asked).toMatchObject({
      model: specifier.split('/')[1],
      system: 'You are terse.',
      userTexts: ['Hello'],
      tools: [],
    });
    expect([request?.headers['x-api-key'], request?.headers.authorization]).toContain(
      protocol.api === 'anthropic-messages' ? key : `Bearer ${key}`,
    );
  });

  it('describes its tools in the order given, and the same ones in the same bytes (TURN-15)', async () => {
    await ask({ tools });
    await ask({ tools: structuredClone(tools) });
    expect(server.requests[0]?.asked.tools).toMatchObject([
      { name: 'lookup', description: 'Finds an order.', parameters: tools[0]?.parameters },
      { name: 'ping', description: 'Answers.', parameters: { type: 'object', properties: {} } },
    ]);
    expect(JSON.stringify(server.requests[1]?.body.tools)).toBe(
      JSON.stringify(server.requests[0]?.body.tools),
    );
  });

  it('never asks for strict arguments, which could not leave out an optional field (PC-035)', async () => {
    await ask({ tools });
    for (const tool of server.requests[0]?.asked.tools ?? []) expect(tool.strict).not.toBe(true);
    expect(server.requests[0]?.asked.tools[0]?.parameters.required).toEqual(['order']);
  });

  it('sends a tool turn back as it came, signed thinking included (RCD-18, TURN-02)', async () => {
    server.answer({
      thinking: { pieces: ['Look it up.'], signature: 'c2lnbmF0dXJl' },
      text: ['One moment.'],
      calls: [{ id: 'call_a', name: 'lookup', pieces: ['{"order":', '"A-1"}'] }],
    });
    const { end } = await play(openGateway(), requestOf(specifier, { tools, thinkingLevel: 'medium' }));
    const call = end.content.find((block) => block.type === 'call');
    const turn = {
      role: 'assistant' as const,
      model: end.model,
      stop: end.stop,
      content: end.content.map((block, part) => ({ ...block, part, valid: true })),
      ...(end.replay && { replay: end.replay }),
    };
    const result = {
      role: 'tool' as const,
      call: call?.type === 'call' ? call.id : '',
      tool: 'lookup',
      isError: false,
      content: [{ type: 'text' as const, text: '{"status":"shipped"}' }],
    };
    const messages = [...requestOf(specifier).messages, turn, result];
    await ask({ messages, tools, thinkingLevel: 'medium' });
    const { asked } = server.requests[1]!;
    expect(asked.calls).toEqual([{ id: 'call_a', name: 'lookup', args: { order: 'A-1' } }]);
    expect(asked.results).toEqual([{ id: 'call_a', text: '{"status":"shipped"}' }]);
    const replayed = protocol.api === 'openai-completions' ? 'Look it up.' : 'c2lnbmF0dXJl';
    expect(asked.signatures).toEqual([replayed]);

    const other = { ...turn, model: { ...end.model, id: 'another' } };
    await ask({
      messages: [...requestOf(specifier).messages, other, result],
      tools,
      thinkingLevel: 'medium',
    });
    expect(server.requests[2]?.asked.signatures).toEqual([]);
    expect(server.requests[2]?.asked.results).toEqual([{ id: 'call_a', text: '{"status":"shipped"}' }]);
  });

  it('keeps an aborted turn that stands in the conversation on purpose (RCD-83)', async () => {
    const aborted = {
      role: 'assistant' as const,
      model: { provider: specifier.split('/')[0]!, id: specifier.split('/')[1]!, api: protocol.api },
      stop: 'aborted' as const,
      content: [
        { type: 'thinking' as const, text: 'Half a thought', part: 0 },
        { type: 'text' as const, text: 'Half a', part: 1 },
      ],
    };
    const onward = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Go on' }] };
    await ask({ messages: [...requestOf(specifier).messages, aborted, onward] });
    const body = JSON.stringify(server.requests[0]?.body);
    expect(body).toContain('Half a');
    expect(body).not.toContain('Half a thought');
  });

  it('asks for no reasoning when it is off, and for the nearest level there is (THINK-03, THINK-04)', async () => {
    expect((await ask({ thinkingLevel: 'off' })).thinkingLevel).toBe('off');
    expect(server.requests[0]?.asked.reasoning).toBeUndefined();

    expect((await ask({ thinkingLevel: 'high' })).thinkingLevel).toBe('high');
    expect(server.requests[1]?.asked.reasoning).toBeDefined();

    const nearest = { anthropic: 'high', openai: 'xhigh', local: 'high' }[specifier.split('/')[0]!];
    expect((await ask({ thinkingLevel: 'max' })).thinkingLevel).toBe(nearest);
  });

  it('shows images to a model that takes them, and says that one was left out to any other (SPEC-09)', async () => {
    const image = { type: 'image' as const, mimeType: 'image/png', data: 'iVBORw0KGgo=' };
    const text = { type: 'text' as const, text: 'What is this?' };
    await ask({ messages: [{ role: 'user', content: [text, image] }] });
    const { asked } = server.requests[0]!;
    const takesImages = (await openGateway().resolve(specifier)).input.includes('image');
    expect(asked.images).toBe(takesImages ? 1 : 0);
    expect(asked.userTexts).toEqual(takesImages ? ['What is this?'] : ['What is this?', '(image omitted)']);
  });

  it('respects an output limit of its own', async () => {
    await ask({ maxTokens: 77 });
    expect(server.requests[0]?.asked.maxTokens).toBe(77);
  });

  it('is made once, whatever comes back: retries are the runtime’s (RETRY-05)', async () => {
    server.answer({ failure: 'server' }, { text: ['Ok.'] });
    await play(openGateway(), requestOf(specifier));
    expect(server.requests).toHaveLength(1);
  });

  it('without a credential is not made; the error names the variables (AUTH-03, AUTH-04)', async () => {
    const inherited = process.env[keyVariable];
    process.env[keyVariable] = key;
    try {
      const { end } = await play(openGateway({ env: {} }), requestOf(specifier));
      expect(end).toMatchObject({
        stop: 'error',
        fault: { class: 'terminal', reason: 'provider_not_configured' },
      });
      expect(end.cause).toMatchObject({
        type: 'provider_not_configured',
        meta: { providerId: specifier.split('/')[0], envVars: expect.arrayContaining([keyVariable]) },
      });
      expect((end.cause as { dev?: string }).dev).toContain('offline/demo');
      expect(server.requests).toEqual([]);
    } finally {
      if (inherited === undefined) delete process.env[keyVariable];
      else process.env[keyVariable] = inherited;
    }
  });
});

describe('the prompt cache', () => {
  it('is kept by the conversation’s key and for a short time (TURN-14)', async () => {
    for (const { specifier } of subjects) {
      server.answer({ text: ['Ok.'] });
      await play(openGateway(), requestOf(specifier, { tools }));
    }
    const [anthropic, openai] = server.requests;
    expect(anthropic?.body.system).toMatchObject([{ cache_control: { type: 'ephemeral' } }]);
    expect(openai?.body).toMatchObject({ prompt_cache_key: 'conv_wire', store: false });
  });
});

describe('a registered provider', () => {
  const say = async (specifier: string, env: Record<string, string> = {}) => {
    server.answer({ text: ['Ok.'] });
    const { end } = await play(openGateway({ env }), requestOf(specifier));
    return { end, request: server.requests.at(-1) };
  };
  const baseUrl = () => `${server.url}/v1`;

  it('takes its key from the registration, then its variables, asked for at each request (AUTH-01, PROV-03)', async () => {
    let key: string | undefined = 'first-key-0001';
    registerProvider('rotating', {
      api: 'openai-completions',
      baseUrl: baseUrl(),
      apiKey: async () => key,
      apiKeyEnv: ['UNSET_KEY', 'ROTATING_KEY'],
    });
    const gateway = openGateway({ env: { ROTATING_KEY: 'third-key-0003' } });
    const keys: unknown[] = [];
    for (const next of ['first-key-0001', 'second-key-0002', undefined]) {
      key = next;
      server.answer({ text: ['Ok.'] });
      await play(gateway, requestOf('rotating/any'));
      keys.push(server.requests.at(-1)?.headers.authorization);
    }
    expect(keys).toEqual(['Bearer first-key-0001', 'Bearer second-key-0002', 'Bearer third-key-0003']);

    registerProvider('rotating', {
      api: 'openai-completions',
      baseUrl: baseUrl(),
      apiKey: 'replaced-key-0004',
    });
    server.answer({ text: ['Ok.'] });
    await play(gateway, requestOf('rotating/any'));
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer replaced-key-0004');
  });

  it('takes any model id, with slashes too, and invents no output limit for it (SPEC-01, SPEC-07)', async () => {
    registerProvider('open', { api: 'openai-completions', baseUrl: baseUrl(), apiKey: 'open-key-0001' });
    expect(await openGateway().resolve('open/moonshotai/kimi-k2.6')).toEqual({
      provider: 'open',
      id: 'moonshotai/kimi-k2.6',
      api: 'openai-completions',
      contextWindow: 0,
      maxTokens: 0,
      reasoning: false,
      input: ['text'],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      source: 'registration',
    });
    const { end, request } = await say('open/moonshotai/kimi-k2.6');
    expect(end.stop).toBe('stop');
    expect(request?.asked).toMatchObject({ model: 'moonshotai/kimi-k2.6', maxTokens: undefined });
  });

  it('lays headers over the catalog’s, whatever their case, and reaches undeclared ids there (PROV-05, SPEC-08)', async () => {
    registerProvider('groq', {
      baseUrl: baseUrl(),
      apiKey: 'groq-key-0001',
      headers: { 'X-Team': 'orders' },
      contextWindow: 4_321,
    });
    const { request } = await say('groq/brand-new-model');
    expect(request?.headers['x-team']).toBe('orders');
    expect(request?.path).toBe('/v1/chat/completions');
    expect(await openGateway().resolve('groq/brand-new-model')).toMatchObject({
      api: 'openai-completions',
      contextWindow: 4_321,
      maxTokens: 0,
    });
  });

  it('lets OpenAI keep responses only where it says so (PROV-11)', async () => {
    registerProvider('keeps', {
      api: 'openai-responses',
      baseUrl: baseUrl(),
      apiKey: 'keeps-key-0001',
      storeResponses: true,
    });
    expect((await say('keeps/any')).request?.body.store).toBe(true);
    registerProvider('keeps', { api: 'openai-responses', baseUrl: baseUrl(), apiKey: 'keeps-key-0001' });
    expect((await say('keeps/any')).request?.body.store).toBe(false);
  });
});
