import { afterEach, describe, expect, it } from 'vitest';
import { registerApiProvider, registerProvider, registry, setProvider } from './registrations.ts';

afterEach(() => {
  for (const registered of Object.values(registry())) registered.clear();
});

const endpoint = { api: 'openai-completions', baseUrl: 'https://models.example.com/v1' };

/** What the error says to the developer and about what. */
function refusal(act: () => void): { message: string; dev: string; meta: unknown } {
  try {
    act();
  } catch (error) {
    expect(error).toMatchObject({ name: 'ProviderRegistrationError', type: 'invalid_provider_registration' });
    return error as { message: string; dev: string; meta: unknown };
  }
  throw new Error('nothing was refused');
}

describe('registerProvider', () => {
  it('needs a protocol and an endpoint outside the catalog, and nothing on top of it (PROV-05, PROV-06)', () => {
    registerProvider('anthropic', {});
    registerProvider('mine', endpoint);
    const missing = refusal(() => registerProvider('mine', { api: 'openai-completions' }));
    expect(missing).toMatchObject({ meta: { providerId: 'mine' } });
    expect(missing.message).toContain('needs `api` and `baseUrl`');
    expect(refusal(() => registerProvider('anthropc', {})).dev).toContain("'anthropic'");
  });

  it.each([
    ['', endpoint, /the id does not match/],
    ['Mine', endpoint, /the id does not match/],
    ['-mine', endpoint, /the id does not match/],
    ['offline', endpoint, /belongs to the offline models/],
    ['mine', { ...endpoint, baseUrl: '/v1' }, /`baseUrl` is no absolute http: or https: URL/],
    ['mine', { ...endpoint, baseUrl: 'ftp://models.example.com' }, /`baseUrl` is no absolute/],
    ['mine', { ...endpoint, contextWindow: -1 }, /`contextWindow` is no whole number/],
    ['mine', { ...endpoint, maxTokens: 1.5 }, /`maxTokens` is no whole number/],
    ['mine', { ...endpoint, models: { a: { maxTokens: -2 } } }, /`maxTokens` of the model 'a'/],
  ])('refuses %j with %j (PROV-07)', (id, options, fault) => {
    expect(refusal(() => registerProvider(id, options)).message).toMatch(fault);
  });

  it('refuses an option it does not know, with the one that was meant (PROV-07)', () => {
    const top = refusal(() => registerProvider('mine', { ...endpoint, baseURL: 'x' } as never));
    expect(top.message).toContain('unknown option `baseURL`');
    expect(top.dev).toBe('Did you mean `baseUrl`?');
    const nested = { ...endpoint, models: { a: { contextWindw: 1 } } };
    expect(refusal(() => registerProvider('mine', nested as never)).dev).toBe(
      'Did you mean `contextWindow`?',
    );
  });

  it('asks nothing of the key or the endpoint (PROV-08)', () => {
    registerProvider('mine', {
      ...endpoint,
      apiKey: () => {
        throw new Error('not asked for at registration');
      },
    });
    expect(registry().registrations.has('mine')).toBe(true);
  });
});

const stream = () => {
  throw new Error('not called');
};

it('registerApiProvider needs a slug and both functions (PROV-09)', () => {
  registerApiProvider({ api: 'mine', stream, streamSimple: stream });
  expect(registry().apis.get('mine')).toMatchObject({ api: 'mine' });
  for (const handler of [
    { api: 'mine', stream },
    { api: 'mine', streamSimple: stream },
    { api: '', stream, streamSimple: stream },
  ]) {
    expect(refusal(() => registerApiProvider(handler as never)).message).toContain(
      '`stream` and `streamSimple`',
    );
  }
});

it('setProvider takes a provider of pi-ai under its own id, in place of a registration (PROV-03, PROV-13)', () => {
  const provider = { id: 'mine', name: 'Mine', auth: {}, getModels: () => [], stream, streamSimple: stream };
  registerProvider('mine', endpoint);
  setProvider(provider);
  expect([registry().providers.get('mine'), registry().registrations.has('mine')]).toEqual([provider, false]);
  for (const missing of ['id', 'auth', 'getModels', 'streamSimple']) {
    expect(refusal(() => setProvider({ ...provider, [missing]: undefined } as never)).message).toContain(
      `\`${missing}\``,
    );
  }
});
