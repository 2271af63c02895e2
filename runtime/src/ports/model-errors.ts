import { FlueError } from '../errors/flue-error.ts';

/**
 * What a specifier or a provider can be refused for, before any request (SPEC-06). They belong to the model port: every
 * gateway rejects with them, and whoever settles or reports a failed resolution knows no adapter.
 */

/** A specifier that is not `'provider-id/model-id'` (SPEC-02). `value` is whatever was given. */
export class InvalidModelSpecifierError extends FlueError {
  constructor(o: { readonly value: unknown }) {
    super({
      type: 'invalid_model_specifier',
      message: `The model specifier ${quote(o.value)} is not of the form 'provider-id/model-id'.`,
      details:
        "Both halves are needed, separated by the first '/': for example 'anthropic/claude-sonnet-4-5'.",
      dev: "Pass useModel() a specifier such as 'anthropic/claude-sonnet-4-5', or 'offline/demo' to run without a key.",
      meta: { rule: 'FLUE2403' },
    });
  }
}

/** No provider has this id (SPEC-04). `excludedBy` names the setting that left a known provider out (PROV-02). */
export class UnknownProviderError extends FlueError {
  constructor(o: {
    readonly specifier: string;
    readonly providerId: string;
    readonly suggestions: readonly string[];
    readonly registered: readonly string[];
    readonly excludedBy?: string;
  }) {
    const reason = o.excludedBy
      ? `The ${o.excludedBy} field does not list '${o.providerId}'; add it there.`
      : `No provider is registered as '${o.providerId}'.`;
    super({
      type: 'unknown_provider',
      message: `The model specifier ${quote(o.specifier)} names an unknown provider.`,
      dev: lines(reason, didYouMean(o.suggestions), `Registered: ${listed(o.registered)}.`),
      meta: {
        specifier: o.specifier,
        providerId: o.providerId,
        suggestions: [...o.suggestions],
        registered: [...o.registered],
        rule: 'FLUE2404',
      },
    });
  }
}

/** The provider declares no such model (SPEC-05). `declared` is the whole list; `meta` keeps 8 and the count. */
export class UnknownModelError extends FlueError {
  constructor(o: {
    readonly specifier: string;
    readonly suggestions: readonly string[];
    readonly declared: readonly string[];
  }) {
    super({
      type: 'unknown_model',
      message: `The model specifier ${quote(o.specifier)} names a model that its provider does not declare.`,
      dev: lines(didYouMean(o.suggestions), `Declared: ${listed(o.declared)}.`),
      meta: {
        specifier: o.specifier,
        suggestions: [...o.suggestions],
        declared: o.declared.slice(0, SHOWN),
        declaredCount: o.declared.length,
        rule: 'FLUE2405',
      },
    });
  }
}

/** A registration's `api` is no known wire protocol (PROV-10). */
export class UnknownProviderApiError extends FlueError {
  constructor(o: {
    readonly providerId: string;
    readonly api: string;
    readonly suggestions: readonly string[];
    readonly known: readonly string[];
  }) {
    super({
      type: 'unknown_provider_api',
      message: `The provider '${o.providerId}' is registered with the unknown API ${quote(o.api)}.`,
      dev: lines(
        didYouMean(o.suggestions),
        `Known: ${o.known.join(', ')}.`,
        'Register another protocol with registerApiProvider().',
      ),
      meta: {
        providerId: o.providerId,
        api: o.api,
        suggestions: [...o.suggestions],
        known: [...o.known],
      },
    });
  }
}

/** No credential of the provider resolves (AUTH-04). `envVars` are names, in the order the provider asks for them. */
export class ProviderNotConfiguredError extends FlueError {
  constructor(o: {
    readonly providerId: string;
    readonly envVars: readonly string[];
    readonly cause?: unknown;
  }) {
    const remedy =
      o.envVars.length > 0
        ? `Set ${o.envVars.join(' or ')}`
        : `Give registerProvider() an apiKey or apiKeyEnv`;
    super({
      type: 'provider_not_configured',
      message: `The model provider '${o.providerId}' has no credential.`,
      dev: `${remedy}, or use 'offline/demo', which needs no key.`,
      meta: { providerId: o.providerId, envVars: [...o.envVars] },
      ...(o.cause !== undefined && { cause: o.cause }),
    });
  }
}

/** A replayed request is not on the tape (CAS-05). `nearest` is the entry that agrees for longest. */
export class CassetteMissError extends FlueError {
  constructor(o: {
    readonly file: string;
    /** entries on the tape */
    readonly entries: number;
    readonly nearest?:
      | {
          readonly place: number;
          readonly difference: { readonly path: string; readonly recorded: unknown; readonly asked: unknown };
        }
      | undefined;
  }) {
    const { nearest } = o;
    const differs =
      nearest &&
      `The nearest is entry ${nearest.place}, which differs first at ${nearest.difference.path}: ` +
        `it has ${quote(nearest.difference.recorded)}, and the request ${quote(nearest.difference.asked)}.`;
    super({
      type: 'cassette_miss',
      message: 'The request to the model is not on the cassette that is replayed.',
      dev: lines(
        `${o.file} has ${o.entries} entries. ${differs ?? ''}`.trim(),
        `The request stands in ${o.file}.miss.json. Record it with mode 'record' or 'auto'.`,
      ),
      meta: { ...(nearest && { difference: nearest.difference.path }) },
    });
  }
}

/** A registration call that cannot be taken (PROV-06, PROV-07, PROV-09, PROV-13). `fault` is a clause about it. */
export class ProviderRegistrationError extends FlueError {
  constructor(o: { readonly providerId: string; readonly fault: string; readonly remedy?: string }) {
    super({
      type: 'invalid_provider_registration',
      message: `The registration of the model provider ${quote(o.providerId)} is invalid: ${o.fault}.`,
      ...(o.remedy !== undefined && { dev: o.remedy }),
      meta: { providerId: o.providerId },
    });
  }
}

/** How many names a message lists before it counts the rest. */
const SHOWN = 8;

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const rest = names.length - SHOWN;
  return names.slice(0, SHOWN).join(', ') + (rest > 0 ? ` and ${rest} more (${names.length} in all)` : '');
}

function didYouMean(suggestions: readonly string[]): string {
  return suggestions.length > 0 ? `Did you mean ${suggestions.map((s) => `'${s}'`).join(' or ')}?` : '';
}

function lines(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

/** A value as it would be written in code, short enough for one line. */
function quote(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return `of type ${Array.isArray(value) ? 'array' : typeof value}`;
}
