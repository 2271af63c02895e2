import { spawnSync } from 'node:child_process';
import { builtinProviders } from '@earendil-works/pi-ai/providers/all';
import { fauxAssistantMessage, fauxProvider } from '@earendil-works/pi-ai/providers/faux';
import { afterEach, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { createModelGateway } from '../models/create-model-gateway.ts';
import { BUILTIN_PROVIDERS } from './builtin-providers.ts';
import { authContextOf, resolveCredentials } from './credentials.ts';
import { PROVIDER_APIS } from './provider-apis.ts';
import { registry, setProvider } from './registrations.ts';

afterEach(() => {
  for (const registered of Object.values(registry())) registered.clear();
});

it('the table is what pi-ai ships, and each provider loads on this Node (PROV-02, PROV-15)', async () => {
  expect(Object.keys(BUILTIN_PROVIDERS).sort()).toEqual(
    builtinProviders()
      .map((provider) => provider.id)
      .sort(),
  );
  for (const [id, load] of Object.entries(BUILTIN_PROVIDERS)) expect(await load()).toMatchObject({ id });
});

it('each protocol loads, and so does its implementation, in a plain process of this Node (PROV-09, PROV-15)', async () => {
  for (const load of Object.values(PROVIDER_APIS)) {
    expect(await load()).toMatchObject({ stream: expect.any(Function), streamSimple: expect.any(Function) });
  }
  // The test runner resolves packages by conditions of its own, which Node does not have.
  const script = Object.keys(PROVIDER_APIS)
    .map((slug) => `console.log(typeof (await import('@earendil-works/pi-ai/api/${slug}')).streamSimple);`)
    .join('\n');
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  });
  expect(stdout.trim().split('\n')).toEqual(Object.keys(PROVIDER_APIS).map(() => 'function'));
});

it('a provider of pi-ai streams through the gateway on this Node (PROV-13, PROV-15)', async () => {
  const faux = fauxProvider({ provider: 'faux', models: [{ id: 'one' }] });
  faux.setResponses([fauxAssistantMessage('Hello from the library.')]);
  setProvider(faux.provider);
  const gateway = createModelGateway({
    env: {},
    clock: fakeClock(),
    settings: { retries: 0, retryBaseMs: 0, idleTimeoutMs: 0, requestTimeoutMs: 0 },
  });
  const request = {
    specifier: 'faux/one',
    system: '',
    messages: [],
    tools: [],
    thinkingLevel: 'off',
    sessionId: 's',
    purpose: 'agent',
  } as const;
  const events = [];
  for await (const event of gateway.stream(request, new AbortController().signal)) events.push(event);
  expect(events.at(-1)).toMatchObject({
    type: 'end',
    stop: 'stop',
    content: [{ text: 'Hello from the library.' }],
  });
});

it.each([
  ['anthropic', ['ANTHROPIC_API_KEY', 'ANTHROPIC_OAUTH_TOKEN', 'ANTHROPIC_AUTH_TOKEN']],
  ['openai', ['OPENAI_API_KEY']],
  ['google', ['GEMINI_API_KEY']],
  ['groq', ['GROQ_API_KEY']],
  ['mistral', ['MISTRAL_API_KEY']],
  ['xai', ['XAI_API_KEY']],
  ['openrouter', ['OPENROUTER_API_KEY']],
  ['deepseek', ['DEEPSEEK_API_KEY']],
  ['cerebras', ['CEREBRAS_API_KEY']],
  ['together', ['TOGETHER_API_KEY']],
  ['fireworks', ['FIREWORKS_API_KEY']],
  ['huggingface', ['HF_TOKEN']],
])('%s is configured by %j of the given environment alone (AUTH-02, AUTH-03, AUTH-04)', async (id, names) => {
  const provider = await BUILTIN_PROVIDERS[id]!();
  const { signal } = new AbortController();
  const error = await resolveCredentials(provider, authContextOf({}), signal).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({
    type: 'provider_not_configured',
    meta: { providerId: id, envVars: expect.arrayContaining(names) },
  });
  for (const name of names) {
    const found = await resolveCredentials(provider, authContextOf({ [name]: 'a-key-of-a-test' }), signal);
    expect(found.envVar).toBe(name);
    expect(found.secrets).toContain('a-key-of-a-test');
  }
});
