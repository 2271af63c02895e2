import { registerProvider } from '@flue/runtime';
import {
  createModelGateway,
  type FakeClock,
  fakeClock,
  type ModelEnd,
  type ModelEvent,
  type ModelGateway,
  type ModelRequest,
} from '@flue/runtime/testing';
import { protocols, startWireServer, type WireProtocol, type WireServer } from '../support/wire-server.ts';

/** A model behind each protocol, reached through the provider that users would name. */
export interface Subject {
  readonly protocol: WireProtocol;
  readonly specifier: string;
  readonly key: string;
  readonly keyVariable: string;
}

export const subjects: readonly Subject[] = [
  {
    protocol: protocols.anthropicMessages,
    specifier: 'anthropic/claude-haiku-4-5',
    key: 'sk-ant-api03-wire-test-0001',
    keyVariable: 'ANTHROPIC_API_KEY',
  },
  {
    protocol: protocols.openaiResponses,
    specifier: 'openai/gpt-5.2',
    key: 'sk-proj-wire-test-0002',
    keyVariable: 'OPENAI_API_KEY',
  },
  {
    protocol: protocols.openaiCompletions,
    specifier: 'local/tiny-1',
    key: 'zz-local-wire-0003',
    keyVariable: 'LOCAL_API_KEY',
  },
];

const keys = Object.fromEntries(subjects.map(({ keyVariable, key }) => [keyVariable, key]));

/** The wire server, with the providers of the subjects pointed at it. */
export async function startWire(): Promise<WireServer> {
  const server = await startWireServer();
  registerProvider('anthropic', { baseUrl: server.url });
  registerProvider('openai', { baseUrl: `${server.url}/v1` });
  registerProvider('local', {
    api: 'openai-completions',
    baseUrl: `${server.url}/v1`,
    apiKeyEnv: 'LOCAL_API_KEY',
    models: {
      'tiny-1': {
        contextWindow: 10_000,
        maxTokens: 200,
        reasoning: true,
        cost: { input: 1, output: 10, cacheRead: 0.5, cacheWrite: 0 },
      },
    },
  });
  return server;
}

export function openGateway(
  o: { env?: Record<string, string>; clock?: FakeClock; idleTimeoutMs?: number } = {},
): ModelGateway {
  return createModelGateway({
    env: o.env ?? keys,
    clock: o.clock ?? fakeClock(),
    settings: {
      retries: 3,
      retryBaseMs: 2000,
      idleTimeoutMs: o.idleTimeoutMs ?? 0,
      requestTimeoutMs: 600_000,
    },
  });
}

export function requestOf(specifier: string, o: Partial<ModelRequest> = {}): ModelRequest {
  return {
    specifier,
    system: 'You are terse.',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    tools: [],
    thinkingLevel: 'off',
    sessionId: 'conv_wire',
    purpose: 'agent',
    ...o,
  };
}

export interface Played {
  readonly deltas: readonly Exclude<ModelEvent, ModelEnd>[];
  readonly end: ModelEnd;
}

export async function play(
  gateway: ModelGateway,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Played> {
  const deltas: Exclude<ModelEvent, ModelEnd>[] = [];
  for await (const event of gateway.stream(request, signal)) {
    if (event.type === 'end') return { deltas, end: event };
    deltas.push(event);
  }
  throw new Error('the stream ended without its end event');
}
