import type { ModelInfo, ModelRequest as PortRequest } from '../../ports/model-gateway.ts';
import type { ModelRequest, ModelRequestInfo } from './event.ts';
import { keepCopies } from './scrub.ts';

/** Names under which telemetry knows a provider whose own id differs (EVT-09). */
const PROVIDER_NAMES: { readonly [id: string]: string | undefined } = {
  'amazon-bedrock': 'aws.bedrock',
  azure: 'azure.ai.openai',
  'azure-openai-responses': 'azure.ai.openai',
  google: 'gcp.gemini',
  'google-vertex': 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  moonshotai: 'moonshot_ai',
  'moonshotai-cn': 'moonshot_ai',
  xai: 'x_ai',
};

export function providerName(id: string): string {
  return Object.hasOwn(PROVIDER_NAMES, id) ? PROVIDER_NAMES[id]! : id;
}

/** @param level the one really used, once that is known */
export function requestInfo(
  { thinkingLevel, maxTokens }: Pick<PortRequest, 'thinkingLevel' | 'maxTokens'>,
  { provider, id, api, reasoning }: Pick<ModelInfo, 'provider' | 'id' | 'api' | 'reasoning'>,
  o: { readonly isCompacted: boolean; readonly level?: string | undefined },
): ModelRequestInfo {
  const level = reasoning ? (o.level ?? thinkingLevel) : 'off';
  return {
    providerId: provider,
    providerName: providerName(provider),
    requestedModel: id,
    api,
    ...(level !== 'off' && { reasoningLevel: level }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(o.isCompacted && { contextCompacted: true as const }),
  };
}

/** The request as the model receives it (EVT-07). */
export function wholeRequest(info: ModelRequestInfo, { system, messages, tools }: PortRequest): ModelRequest {
  keepCopies(messages);
  keepCopies(tools.map(({ parameters }) => parameters));
  return {
    ...info,
    input: {
      ...(system !== '' && { systemPrompt: system }),
      messages,
      ...(tools.length > 0 && { tools }),
    },
  };
}
