import { afterEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { registerApiProvider, registerProvider, registry } from '../pi-ai/registrations.ts';
import { createModelGateway } from './create-model-gateway.ts';
import { resolveModelInfo } from './resolve-model-info.ts';

afterEach(() => {
  for (const registered of Object.values(registry())) registered.clear();
});

const endpoint = { api: 'openai-completions', baseUrl: 'https://models.example.com/v1' };

describe('a specifier', () => {
  it('splits at the first slash; both halves stay as written (SPEC-01, SPEC-11, SPEC-12)', async () => {
    expect(await resolveModelInfo('openrouter/anthropic/claude-sonnet-4.5')).toMatchObject({
      provider: 'openrouter',
      id: 'anthropic/claude-sonnet-4.5',
      source: 'catalog',
    });
    expect(await resolveModelInfo('anthropic/claude-sonnet-4-5')).toEqual({
      provider: 'anthropic',
      id: 'claude-sonnet-4-5',
      api: 'anthropic-messages',
      contextWindow: 200_000,
      maxTokens: 64_000,
      reasoning: true,
      input: ['text', 'image'],
      cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      source: 'catalog',
    });
    expect(await resolveModelInfo('offline/demo')).toMatchObject({
      source: 'offline',
      contextWindow: 128_000,
    });
  });

  it.each([['nope'], ['/x'], ['x/'], [' /x'], [''], [42], [undefined], [null]])(
    'that is %j is refused, quoted, beside a valid example (SPEC-02)',
    async (value) => {
      const error = await resolveModelInfo(value as string).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'InvalidModelSpecifierError', type: 'invalid_model_specifier' });
      const { message, details } = error as { message: string; details: string };
      expect(message).toContain(typeof value === 'string' ? JSON.stringify(value) : String(value));
      expect(details).toContain("'anthropic/claude-sonnet-4-5'");
    },
  );

  it('of an unknown provider names what is registered and what is close (SPEC-04)', async () => {
    const error = await resolveModelInfo('anthropc/claude').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      type: 'unknown_provider',
      message: expect.stringContaining('"anthropc/claude"'),
      meta: {
        specifier: 'anthropc/claude',
        providerId: 'anthropc',
        suggestions: ['anthropic'],
        registered: expect.arrayContaining(['offline', 'openai']),
      },
    });
    const { dev, message } = error as { dev: string; message: string };
    expect(dev).toContain("Did you mean 'anthropic'?");
    expect(dev.match(/Registered: (.*) and \d+ more/)?.[1]?.split(', ')).toHaveLength(8);
    expect(message).not.toContain('openai');
    await expect(resolveModelInfo('goog/x')).rejects.toMatchObject({
      meta: { suggestions: expect.arrayContaining(['google']) },
    });
  });

  it('of an unknown model suggests at most 3 and shows at most 8 of the declared ones (SPEC-05)', async () => {
    const error = await resolveModelInfo('anthropic/claude-sonet-4-5').catch((thrown: unknown) => thrown);
    const { meta, dev } = error as { meta: Record<string, string[]>; dev: string };
    expect(error).toMatchObject({ type: 'unknown_model', meta: { specifier: 'anthropic/claude-sonet-4-5' } });
    expect(meta.suggestions?.[0]).toBe('claude-sonnet-4-5');
    expect(meta.suggestions?.length).toBeLessThanOrEqual(3);
    expect(meta.declared).toHaveLength(8);
    expect(meta.declaredCount).toBeGreaterThan(8);
    expect(dev).toContain(`(${meta.declaredCount} in all)`);
  });

  it('resolves against the registrations of the moment (SPEC-03, PROV-03, PROV-04)', async () => {
    await expect(resolveModelInfo('mine/a')).rejects.toMatchObject({ type: 'unknown_provider' });
    registerProvider('mine', { ...endpoint, contextWindow: 5 });
    expect(await resolveModelInfo('mine/a')).toMatchObject({ contextWindow: 5, source: 'registration' });
    registerProvider('mine', endpoint);
    expect(await resolveModelInfo('mine/a')).toMatchObject({ contextWindow: 0 });
    registerProvider('anthropic', { contextWindow: 7 });
    expect(await resolveModelInfo('anthropic/claude-sonnet-4-5')).toMatchObject({
      contextWindow: 7,
      maxTokens: 64_000,
      source: 'catalog',
    });
  });

  it('finds the options of its model before those of its provider (PROV-05, PROV-06)', async () => {
    registerProvider('mine', {
      ...endpoint,
      contextWindow: 100,
      models: { big: { contextWindow: 900, reasoning: true, input: ['text', 'image'] } },
    });
    expect(await resolveModelInfo('mine/big')).toMatchObject({
      contextWindow: 900,
      reasoning: true,
      input: ['text', 'image'],
    });
    expect(await resolveModelInfo('mine/other')).toMatchObject({ contextWindow: 100, reasoning: false });
    registerProvider('anthropic', { maxTokens: 10, models: { 'claude-haiku-4-5': { maxTokens: 20 } } });
    expect(await resolveModelInfo('anthropic/claude-haiku-4-5')).toMatchObject({ maxTokens: 20 });
    expect(await resolveModelInfo('anthropic/claude-sonnet-4-5')).toMatchObject({ maxTokens: 10 });
  });

  it('of a registration with an unknown protocol fails when it resolves, whatever the order of the calls (PROV-10)', async () => {
    registerProvider('mine', { ...endpoint, api: 'openai-completion' });
    await expect(resolveModelInfo('mine/a')).rejects.toMatchObject({
      type: 'unknown_provider_api',
      meta: { providerId: 'mine', api: 'openai-completion', suggestions: ['openai-completions'] },
      dev: expect.stringContaining('anthropic-messages'),
    });
    const unused = () => {
      throw new Error('not called');
    };
    registerApiProvider({ api: 'openai-completion', stream: unused, streamSimple: unused });
    expect(await resolveModelInfo('mine/a')).toMatchObject({ api: 'openai-completion' });
  });
});

describe('a list of providers', () => {
  const gateway = createModelGateway({
    env: {},
    clock: fakeClock(),
    settings: { retries: 0, retryBaseMs: 0, idleTimeoutMs: 0, requestTimeoutMs: 0 },
    providers: ['anthropic'],
  });

  it('leaves out every other built-in one, and says that it does (PROV-02)', async () => {
    expect(await gateway.resolve('anthropic/claude-sonnet-4-5')).toMatchObject({ source: 'catalog' });
    await expect(gateway.resolve('openai/gpt-5.2')).rejects.toMatchObject({
      type: 'unknown_provider',
      meta: { registered: ['offline', 'anthropic'] },
      dev: expect.stringContaining("The providers field does not list 'openai'"),
    });
  });

  it('leaves out neither offline nor what the application registered (OFF-01, PROV-04)', async () => {
    expect(await gateway.resolve('offline/demo')).toMatchObject({ source: 'offline' });
    registerProvider('openai', {});
    expect(await gateway.resolve('openai/gpt-5.2')).toMatchObject({ source: 'catalog' });
  });
});

it('a failure to resolve reaches a stream as its end, before any request (SPEC-06)', async () => {
  const gateway = createModelGateway({
    env: {},
    clock: fakeClock(),
    settings: { retries: 0, retryBaseMs: 0, idleTimeoutMs: 0, requestTimeoutMs: 0 },
  });
  for (const [specifier, type] of [
    ['nope', 'invalid_model_specifier'],
    ['nowhere/x', 'unknown_provider'],
    ['offline/x', 'unknown_model'],
  ] as const) {
    const events = [];
    const request = {
      specifier,
      system: '',
      messages: [],
      tools: [],
      thinkingLevel: 'off',
      sessionId: 's',
      purpose: 'agent',
    } as const;
    for await (const event of gateway.stream(request, new AbortController().signal)) events.push(event);
    expect(events).toMatchObject([
      { type: 'end', stop: 'error', fault: { class: 'terminal', reason: type }, cause: { type } },
    ]);
  }
});
