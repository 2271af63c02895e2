import type { ThinkingLevel } from '../../contract/names.ts';
import { ProviderRegistrationError } from '../../ports/model-errors.ts';
import { suggest } from '../models/suggest.ts';
import { BUILTIN_PROVIDERS } from './builtin-providers.ts';

/*
 * What this file exports is what applications import. It names nothing of the model library: its declarations pull in
 * those of a dozen vendors' SDKs, which every editor and every type check of an application would then have to read.
 */

/** Options of `registerProvider()`. On top of a catalog provider every field is optional (PROV-05). */
export interface HttpProviderRegistration {
  /** wire protocol, such as `'openai-completions'` (PROV-09); required for an id outside the catalog */
  readonly api?: string;
  /** absolute `http:` or `https:` URL; required for an id outside the catalog */
  readonly baseUrl?: string;
  /** merged with the catalog's per name, whatever its case */
  readonly headers?: Readonly<Record<string, string>>;
  /** asked for at every request, so a function can rotate it (AUTH-01) */
  readonly apiKey?: string | (() => string | undefined | Promise<string | undefined>);
  /** variables of the runtime's `env`, the first one set wins */
  readonly apiKeyEnv?: string | readonly string[];
  /** tokens, of every model without an entry of its own */
  readonly contextWindow?: number;
  readonly maxTokens?: number;
  /** lets OpenAI Responses endpoints keep responses; never by default (PROV-11) */
  readonly storeResponses?: boolean;
  /** by model id; of an id outside the catalog, also the declared list (PROV-06) */
  readonly models?: Readonly<Record<string, ModelOverride>>;
}

export interface ModelOverride {
  readonly contextWindow?: number;
  readonly maxTokens?: number;
  readonly name?: string;
  readonly reasoning?: boolean;
  readonly input?: ('text' | 'image')[];
  /** per million tokens */
  readonly cost?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  /** what the provider calls a level; `null` for one that it lacks */
  readonly thinkingLevelMap?: { readonly [Level in ThinkingLevel]?: string | null };
}

/** A wire protocol of the application's own. */
export interface ApiProviderHandler {
  readonly api: string;
  /** pi-ai's `StreamFn` (PROV-14) */
  readonly stream: (...args: never[]) => unknown;
  readonly streamSimple: (...args: never[]) => unknown;
}

/** A pi-ai provider, as its library makes them (PROV-13). */
export interface PiProvider {
  readonly id: string;
  readonly auth: object;
  readonly getModels: (...args: never[]) => unknown;
  readonly streamSimple: (...args: never[]) => unknown;
}

interface Registry {
  readonly registrations: Map<string, HttpProviderRegistration>;
  readonly providers: Map<string, PiProvider>;
  readonly apis: Map<string, ApiProviderHandler>;
}

/** Process-wide (PROV-12), on the global object, so that an application bundled apart from the runtime reaches it. */
const KEY = Symbol.for('@flue/runtime.providers');
const holder = globalThis as { [KEY]?: Registry };

export function registry(): Registry {
  holder[KEY] ??= { registrations: new Map(), providers: new Map(), apis: new Map() };
  return holder[KEY];
}

/**
 * Registers a model provider, or lays options on top of one of the catalog (PROV-03 to PROV-08). Replaces any former
 * registration of the id entirely. Does no I/O and checks no credential. Throws `ProviderRegistrationError`.
 */
export function registerProvider(providerId: string, registration: HttpProviderRegistration): void {
  const refuse = (fault: string, remedy?: string): never => {
    throw new ProviderRegistrationError({
      providerId: String(providerId),
      fault,
      ...(remedy !== undefined && { remedy }),
    });
  };
  if (typeof providerId !== 'string' || !ID_PATTERN.test(providerId)) {
    refuse(`the id does not match ${ID_PATTERN}`);
  }
  if (providerId === 'offline') refuse('the id belongs to the offline models of the runtime');
  if (typeof registration !== 'object' || registration === null) refuse('the options are no object');

  refuseUnknownFields(registration, REGISTRATION_FIELDS, refuse);
  if (registration.baseUrl !== undefined && !isHttpUrl(registration.baseUrl)) {
    refuse('`baseUrl` is no absolute http: or https: URL');
  }
  checkTokens(registration, '', refuse);
  for (const [id, override] of Object.entries(registration.models ?? {})) {
    refuseUnknownFields(override, OVERRIDE_FIELDS, refuse);
    checkTokens(override, ` of the model '${id}'`, refuse);
  }
  const isInCatalog = Object.hasOwn(BUILTIN_PROVIDERS, providerId);
  if (!isInCatalog && (registration.api === undefined || registration.baseUrl === undefined)) {
    const near = suggest(providerId, Object.keys(BUILTIN_PROVIDERS), { distance: 2, limit: 1 });
    refuse(
      'an id outside the catalog needs `api` and `baseUrl`',
      near[0] === undefined ? undefined : `Did you mean the catalog provider '${near[0]}'?`,
    );
  }
  registry().providers.delete(providerId);
  registry().registrations.set(providerId, registration);
}

/** Adds or replaces the handler of one wire protocol (PROV-09). Throws `ProviderRegistrationError`. */
export function registerApiProvider(handler: ApiProviderHandler): void {
  const isComplete =
    typeof handler?.api === 'string' &&
    handler.api !== '' &&
    typeof handler.stream === 'function' &&
    typeof handler.streamSimple === 'function';
  if (!isComplete) {
    throw new ProviderRegistrationError({
      providerId: String(handler?.api),
      fault: 'a handler needs `api`, `stream` and `streamSimple`',
    });
  }
  registry().apis.set(handler.api, handler);
}

/** Registers a provider object of pi-ai under its own id (PROV-13). Throws `ProviderRegistrationError`. */
export function setProvider(provider: PiProvider): void {
  const isComplete =
    typeof provider?.id === 'string' &&
    provider.id !== '' &&
    typeof provider.auth === 'object' &&
    typeof provider.getModels === 'function' &&
    typeof provider.streamSimple === 'function';
  if (!isComplete) {
    throw new ProviderRegistrationError({
      providerId: String(provider?.id),
      fault: 'a provider needs `id`, `auth`, `getModels` and `streamSimple`',
    });
  }
  registry().registrations.delete(provider.id);
  registry().providers.set(provider.id, provider);
}

const ID_PATTERN = /^[a-z0-9][a-z0-9._-]*$/;
const REGISTRATION_FIELDS = [
  'api',
  'baseUrl',
  'headers',
  'apiKey',
  'apiKeyEnv',
  'contextWindow',
  'maxTokens',
  'storeResponses',
  'models',
];
const OVERRIDE_FIELDS = [
  'contextWindow',
  'maxTokens',
  'name',
  'reasoning',
  'input',
  'cost',
  'thinkingLevelMap',
];

type Refuse = (fault: string, remedy?: string) => never;

function refuseUnknownFields(value: object, known: readonly string[], refuse: Refuse): void {
  for (const field of Object.keys(value)) {
    if (known.includes(field)) continue;
    const [near] = suggest(field, known, { distance: 3, limit: 1 });
    refuse(`unknown option \`${field}\``, near === undefined ? undefined : `Did you mean \`${near}\`?`);
  }
}

function checkTokens(
  value: { contextWindow?: number; maxTokens?: number },
  of: string,
  refuse: Refuse,
): void {
  for (const field of ['contextWindow', 'maxTokens'] as const) {
    const tokens = value[field];
    if (tokens !== undefined && !(Number.isInteger(tokens) && tokens >= 0)) {
      refuse(`\`${field}\`${of} is no whole number of tokens`);
    }
  }
}

function isHttpUrl(text: unknown): boolean {
  return typeof text === 'string' && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
