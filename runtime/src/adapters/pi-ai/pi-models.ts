import type { AssistantMessage, SimpleStreamOptions } from '@earendil-works/pi-ai';
import { clampThinkingLevel } from '@earendil-works/pi-ai/models';
import type { ModelSettings } from '../../contract/limits.ts';
import type { ThinkingLevel } from '../../contract/names.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ModelEnd, ModelEvent, ModelInfo, ModelRequest } from '../../ports/model-gateway.ts';
import type { ModelRef, Stop } from '../../ports/model-shapes.ts';
import { beforeCalls } from '../models/blocks.ts';
import { parseSpecifier, type Specifier } from '../models/specifier.ts';
import { completeUsage } from '../models/usage.ts';
import { createCatalog, type Found, infoOf } from './catalog.ts';
import { contextOf } from './context.ts';
import { authContextOf, type Credentials, type Env, resolveCredentials } from './credentials.ts';
import { faultOf, type HttpResponse, isSilentOverflow, retryAfterMs } from './fault.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { readResponse } from './read-response.ts';
import { Redactor } from './redactor.ts';

export interface PiModels {
  resolve(specifier: Specifier): Promise<ModelInfo>;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** The models that pi-ai reaches. Failures are the `end` event; what `watch` promises, it adds. */
export function createPiModels(o: {
  readonly env: Env;
  readonly settings: ModelSettings;
  readonly clock: Clock;
  readonly providers?: readonly string[];
  /** told of every credential that a request uses */
  readonly secrets?: KnownSecrets;
}): PiModels {
  const authContext = authContextOf(o.env);
  const catalog = createCatalog({ authContext, providers: o.providers });

  async function resolve(specifier: Specifier): Promise<ModelInfo> {
    return infoOf(await catalog.find(specifier));
  }

  async function* stream(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, void, undefined> {
    const found = await catalog.find(parseSpecifier(request.specifier));
    const credentials = await resolveCredentials(found.provider, authContext, signal);
    const headers = Object.values(found.model.headers ?? {});
    const carried = [...credentials.secrets, ...headers];
    o.secrets?.add(carried);
    const redactor = new Redactor(carried);
    const watched = watchFetch();
    const level = thinkingLevelOf(found, request.thinkingLevel);
    const events = catalog.models.streamSimple(
      requestModel(found),
      contextOf(request, refOf(found), found.model.input.includes('image')),
      {
        ...requestOptions(request, found),
        ...(credentials.apiKey !== undefined && { apiKey: credentials.apiKey }),
        env: definedOnly(o.env),
        signal,
        fetch: watched.fetch,
        ...(level !== 'off' && { reasoning: level }),
      },
    );
    const response = yield* readResponse(events, redactor);
    if (!response) return;
    yield endOf(found, response.message, response.blocks, {
      redactor,
      credentials,
      http: watched.response(),
      now: o.clock.now(),
      thinkingLevel: level,
    });
  }

  function requestOptions(request: ModelRequest, found: Found): SimpleStreamOptions {
    const { requestTimeoutMs } = o.settings;
    const onPayload = payloadHook(found, request.maxTokens);
    return {
      // All retries are ours, visible and budgeted (RETRY-05).
      maxRetries: 0,
      sessionId: request.sessionId,
      cacheRetention: 'short',
      // A request is always whole; a thread kept by the server would be state beside the records.
      disableContinuation: true,
      ...(requestTimeoutMs > 0 && { timeoutMs: requestTimeoutMs }),
      ...(request.maxTokens !== undefined && { maxTokens: request.maxTokens }),
      ...(onPayload && { onPayload }),
    };
  }

  return { resolve, stream };
}

function endOf(
  found: Found,
  message: AssistantMessage,
  blocks: ModelEnd['content'],
  o: {
    readonly redactor: Redactor;
    readonly credentials: Credentials;
    readonly http: HttpResponse | undefined;
    readonly now: number;
    readonly thinkingLevel: ThinkingLevel;
  },
): ModelEnd {
  const { contextWindow } = found.model;
  const end = {
    type: 'end',
    model: refOf(found),
    usage: completeUsage(message.usage),
    thinkingLevel: o.thinkingLevel,
    ...(message.responseId && { responseId: message.responseId }),
    ...(message.responseModel && { responseModel: message.responseModel }),
    ...(message.providerThinkingLevel && {
      replay: { providerThinkingLevel: message.providerThinkingLevel },
    }),
  } as const;
  const spoken = beforeCalls(blocks);
  const stop = stopOf(message);
  if (stop === 'aborted') return { ...end, content: spoken, stop };
  if (isSilentOverflow(message, contextWindow)) {
    const text = `The input did not fit the model's context window of ${contextWindow} tokens.`;
    return {
      ...end,
      content: spoken,
      stop: 'error',
      fault: { class: 'overflow', message: text, reason: 'context_overflow' },
    };
  }
  if (stop !== 'error') return { ...end, content: blocks, stop };

  const text = o.redactor.errorText(message.errorMessage ?? `The response ended as '${message.stopReason}'.`);
  const fault = faultOf(message, { text, contextWindow, response: o.http });
  const wait = o.http && retryAfterMs(o.http.headers, o.now);
  return {
    ...end,
    content: spoken,
    stop,
    fault,
    cause: new Error(text),
    ...(fault.reason === 'auth' && o.credentials.envVar !== undefined && { envVar: o.credentials.envVar }),
    ...(fault.class === 'transient' && wait !== undefined && { retryAfterMs: wait }),
  };
}

/** TURN-12; responses that come later are never asked for, so `pending` and `deferred` are failures. */
function stopOf({ stopReason }: AssistantMessage): Stop {
  return stopReason === 'pending' || stopReason === 'deferred' ? 'error' : stopReason;
}

/** `off`, and every level of a model that does not reason, asks for nothing (THINK-03); else the nearest level (THINK-04). */
function thinkingLevelOf({ model }: Found, wanted: ThinkingLevel): ThinkingLevel {
  return wanted === 'off' ? 'off' : clampThinkingLevel(model, wanted);
}

const RESPONSES_APIS = ['openai-responses', 'azure-openai-responses'];

/** An output limit for a protocol that must send one, where the model's is unknown. */
const FALLBACK_MAX_TOKENS = 8_192;

/** The library derives a limit of one token from an unknown one. */
function requestModel({ model }: Found): Found['model'] {
  return model.maxTokens > 0 ? model : { ...model, maxTokens: FALLBACK_MAX_TOKENS };
}

/** Last changes of the request body: `store` where asked for (PROV-11), and no invented limit for an unknown model. */
function payloadHook(
  { model, registration }: Found,
  maxTokens: number | undefined,
): SimpleStreamOptions['onPayload'] {
  const stores = registration?.storeResponses === true && RESPONSES_APIS.includes(model.api);
  const hasUnknownLimit = model.maxTokens === 0 && maxTokens === undefined && model.api.startsWith('openai-');
  if (!stores && !hasUnknownLimit) return undefined;
  return (payload) => {
    const body = { ...(payload as Record<string, unknown>) };
    if (stores) body.store = true;
    if (hasUnknownLimit) {
      for (const field of ['max_tokens', 'max_completion_tokens', 'max_output_tokens']) delete body[field];
    }
    return body;
  };
}

/** Sees the status and headers of the answer, which the library keeps to itself when a request fails. */
function watchFetch() {
  let seen: HttpResponse | undefined;
  const watched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    seen = { status: response.status, headers: response.headers };
    return response;
  };
  return { fetch: watched, response: () => seen };
}

/** Read per request, like the credentials: a variable that changed is seen (AUTH-01). */
function definedOnly(env: Env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function refOf({ model }: Found): ModelRef {
  return { provider: model.provider, id: model.id, api: model.api };
}
