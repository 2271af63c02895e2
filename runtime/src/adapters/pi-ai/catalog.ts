import type { AuthContext, Model, ProviderAuth, ProviderStreams } from '@earendil-works/pi-ai';
import {
  createModels,
  createProvider,
  type MutableModels,
  type Provider,
} from '@earendil-works/pi-ai/models';
import {
  UnknownModelError,
  UnknownProviderApiError,
  UnknownProviderError,
} from '../../ports/model-errors.ts';
import type { ModelInfo } from '../../ports/model-gateway.ts';
import type { Specifier } from '../models/specifier.ts';
import { suggest } from '../models/suggest.ts';
import { OFFLINE_PROVIDER } from '../offline/offline-models.ts';
import { BUILTIN_PROVIDERS } from './builtin-providers.ts';
import { PROVIDER_APIS } from './provider-apis.ts';
import {
  type ApiProviderHandler,
  type HttpProviderRegistration,
  type ModelOverride,
  registry,
} from './registrations.ts';

export type AnyModel = Model<string>;

/** A model as a specifier finds it. */
export interface Found {
  readonly model: AnyModel;
  readonly provider: Provider;
  readonly registration: HttpProviderRegistration | undefined;
  readonly source: ModelInfo['source'];
  /** the id is in no list, so its limits, prices and abilities are unknown (SPEC-07, SPEC-08) */
  readonly isUndeclared: boolean;
}

export interface Catalog {
  /** the one collection that every call goes through (PROV-01) */
  readonly models: MutableModels;
  find(specifier: Specifier): Promise<Found>;
}

interface Made {
  readonly raw: Provider | undefined;
  readonly registration: HttpProviderRegistration | undefined;
  readonly handler: ApiProviderHandler | undefined;
  readonly provider: Promise<Provider>;
}

/**
 * Specifier to model, against the registrations as they are now (SPEC-03): what the application registered wins over a
 * built-in provider of the same id (PROV-04), and a list of `providers` leaves out every other built-in (PROV-02).
 */
export function createCatalog(o: {
  /** of requests; resolving needs none */
  readonly authContext?: AuthContext;
  readonly providers?: readonly string[] | undefined;
}): Catalog {
  const models = createModels(o.authContext && { authContext: o.authContext });
  const builtIds = o.providers ?? Object.keys(BUILTIN_PROVIDERS);
  /** what stands in `models`, beside what it was made from */
  const made = new Map<string, Made>();

  function providerOf(specifier: Specifier): Promise<Provider> {
    const { provider: id } = specifier;
    const { registrations, providers, apis } = registry();
    const registration = registrations.get(id);
    // Checked by setProvider(), whose public type names nothing of the library.
    const raw = providers.get(id) as Provider | undefined;
    const isBuiltin = builtIds.includes(id) && Object.hasOwn(BUILTIN_PROVIDERS, id);
    if (!registration && !raw && !isBuiltin) throw unknownProvider(specifier, builtIds);

    const handler = registration?.api === undefined ? undefined : apis.get(registration.api);
    const known = made.get(id);
    if (known && known.raw === raw && known.registration === registration && known.handler === handler) {
      return known.provider;
    }

    const provider = raw
      ? Promise.resolve(raw)
      : registration
        ? registeredProvider(id, registration)
        : builtinProvider(id);
    const placed = provider.then((ready) => {
      models.setProvider(ready);
      return ready;
    });
    made.set(id, { raw, registration, handler, provider: placed });
    return placed;
  }

  async function find(specifier: Specifier): Promise<Found> {
    const provider = await providerOf(specifier);
    const registration = registry().registrations.get(specifier.provider);
    const isInCatalog = Object.hasOwn(BUILTIN_PROVIDERS, specifier.provider);
    const source = isInCatalog && !registry().providers.has(specifier.provider) ? 'catalog' : 'registration';
    const declared = provider.getModels();
    const model = declared.find((candidate) => candidate.id === specifier.id);
    if (model) return { model, provider, registration, source, isUndeclared: false };
    if (!registration) {
      const ids = declared.map((candidate) => candidate.id);
      const distance = Math.max(3, Math.floor(specifier.id.length / 3));
      const suggestions = suggest(specifier.id, ids, { distance, limit: 3 });
      throw new UnknownModelError({ specifier: specifier.text, suggestions, declared: ids });
    }
    const undeclared = modelWithoutMetadata(specifier, registration, declared[0]);
    return { model: undeclared, provider, registration, source: 'registration', isUndeclared: true };
  }

  return { models, find };
}

/** SPEC-12. */
export function infoOf({ model, source }: Found): ModelInfo {
  const { provider, id, api, contextWindow, maxTokens, reasoning, cost } = model;
  const { input, output, cacheRead, cacheWrite } = cost;
  return {
    provider,
    id,
    api,
    contextWindow,
    maxTokens,
    reasoning,
    input: model.input,
    cost: { input, output, cacheRead, cacheWrite },
    source,
  };
}

/** What is true of a model that nobody described: its protocol and endpoint, and nothing else. */
function modelWithoutMetadata(
  { provider, id }: Specifier,
  registration: HttpProviderRegistration,
  sibling: AnyModel | undefined,
): AnyModel {
  const blank: AnyModel = {
    id,
    name: id,
    provider,
    api: registration.api ?? sibling?.api ?? '',
    baseUrl: registration.baseUrl ?? sibling?.baseUrl ?? '',
    reasoning: false,
    input: ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 0,
    maxTokens: 0,
  };
  return withOptions(blank, registration, {});
}

async function registeredProvider(id: string, registration: HttpProviderRegistration): Promise<Provider> {
  const base = Object.hasOwn(BUILTIN_PROVIDERS, id) ? await BUILTIN_PROVIDERS[id]!() : undefined;
  const api: ProviderStreams =
    registration.api === undefined && base ? streamsOf(base) : await streamsOfApi(id, registration.api ?? '');
  const catalog = base?.getModels() ?? [];
  const overrides = registration.models ?? {};
  const models = catalog.map((model) => withOptions(model, registration, overrides[model.id] ?? {}));
  for (const [modelId, override] of Object.entries(overrides)) {
    if (catalog.some((model) => model.id === modelId)) continue;
    const blank = modelWithoutMetadata(
      { text: `${id}/${modelId}`, provider: id, id: modelId },
      registration,
      catalog[0],
    );
    models.push(withOptions(blank, registration, override));
  }
  const baseUrl = registration.baseUrl ?? base?.baseUrl;
  return createProvider({
    id,
    name: base?.name ?? id,
    ...(baseUrl !== undefined && { baseUrl }),
    auth: registeredAuth(id, registration, base?.auth),
    models,
    api,
  });
}

/** A handler that the application registered for a protocol serves the catalog's models of it too (PROV-09). */
function streamsOf(provider: Provider): ProviderStreams {
  const handlerOf = (model: AnyModel) => registeredApi(model.api) ?? provider;
  return {
    stream: (model, context, options) => handlerOf(model).stream(model, context, options),
    streamSimple: (model, context, options) => handlerOf(model).streamSimple(model, context, options),
  };
}

async function builtinProvider(id: string): Promise<Provider> {
  const provider = await BUILTIN_PROVIDERS[id]!();
  return { ...provider, ...streamsOf(provider) };
}

/** Checked by registerApiProvider(), whose public type names nothing of the library. */
function registeredApi(api: string): ProviderStreams | undefined {
  return registry().apis.get(api) as ProviderStreams | undefined;
}

/** The application's handler of a protocol, else pi-ai's; looked up late, so registrations come in any order (PROV-10). */
async function streamsOfApi(providerId: string, api: string): Promise<ProviderStreams> {
  const handler = registeredApi(api);
  if (handler) return handler;
  if (Object.hasOwn(PROVIDER_APIS, api)) return await PROVIDER_APIS[api]!();
  const known = [...new Set([...registry().apis.keys(), ...Object.keys(PROVIDER_APIS)])];
  throw new UnknownProviderApiError({
    providerId,
    api,
    known,
    suggestions: suggest(api, known, { distance: 4, limit: 3 }),
  });
}

/** The options of the whole provider, then those of this model. */
function withOptions(
  model: AnyModel,
  registration: HttpProviderRegistration,
  override: ModelOverride,
): AnyModel {
  const { api, baseUrl, contextWindow, maxTokens, headers } = registration;
  return {
    ...model,
    ...(api !== undefined && { api }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(headers && { headers: mergeHeaders(model.headers, headers) }),
    ...override,
  };
}

function mergeHeaders(base: Readonly<Record<string, string>> = {}, over: Readonly<Record<string, string>>) {
  const replaced = new Set(Object.keys(over).map((name) => name.toLowerCase()));
  const kept = Object.entries(base).filter(([name]) => !replaced.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...over };
}

/** In the order of AUTH-01: `apiKey`, `apiKeyEnv`, the provider's own variables. */
function registeredAuth(
  id: string,
  registration: HttpProviderRegistration,
  base: ProviderAuth | undefined,
): ProviderAuth {
  const names = registration.apiKeyEnv === undefined ? [] : [registration.apiKeyEnv].flat();
  const authorizes = Object.keys(registration.headers ?? {}).some((name) =>
    /^(authorization|x-api-key)$/i.test(name),
  );
  return {
    apiKey: {
      name: base?.apiKey?.name ?? `${id} API key`,
      async resolve(input) {
        const { ctx, credential } = input;
        if (credential?.key) return { auth: { apiKey: credential.key }, source: 'request' };
        const { apiKey } = registration;
        const given = typeof apiKey === 'function' ? await apiKey() : apiKey;
        if (given) return { auth: { apiKey: given }, source: 'registration' };
        for (const name of names) {
          const value = await ctx.env(name);
          if (value) return { auth: { apiKey: value }, source: name };
        }
        return (
          (await base?.apiKey?.resolve(input)) ?? (authorizes ? { auth: {}, source: 'headers' } : undefined)
        );
      },
    },
  };
}

function unknownProvider({ text, provider }: Specifier, builtIds: readonly string[]): UnknownProviderError {
  const { registrations, providers } = registry();
  const registered = [
    ...new Set([OFFLINE_PROVIDER, ...registrations.keys(), ...providers.keys(), ...builtIds]),
  ];
  const isExcluded = Object.hasOwn(BUILTIN_PROVIDERS, provider);
  return new UnknownProviderError({
    specifier: text,
    providerId: provider,
    suggestions: suggest(provider, registered, { distance: 2, limit: 3 }),
    registered,
    ...(isExcluded && { excludedBy: 'providers' }),
  });
}
