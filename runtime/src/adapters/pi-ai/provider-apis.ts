import type { ProviderStreams } from '@earendil-works/pi-ai';

/** The wire protocols that pi-ai speaks, by slug (PROV-09); each loads when a registration names it. */
export const PROVIDER_APIS: Readonly<Record<string, () => Promise<ProviderStreams>>> = {
  'openai-completions': async () =>
    (await import('@earendil-works/pi-ai/api/openai-completions.lazy')).openAICompletionsApi(),
  'openai-responses': async () =>
    (await import('@earendil-works/pi-ai/api/openai-responses.lazy')).openAIResponsesApi(),
  'azure-openai-responses': async () =>
    (await import('@earendil-works/pi-ai/api/azure-openai-responses.lazy')).azureOpenAIResponsesApi(),
  'openai-codex-responses': async () =>
    (await import('@earendil-works/pi-ai/api/openai-codex-responses.lazy')).openAICodexResponsesApi(),
  'anthropic-messages': async () =>
    (await import('@earendil-works/pi-ai/api/anthropic-messages.lazy')).anthropicMessagesApi(),
  'bedrock-converse-stream': async () =>
    (await import('@earendil-works/pi-ai/api/bedrock-converse-stream.lazy')).bedrockConverseStreamApi(),
  'google-generative-ai': async () =>
    (await import('@earendil-works/pi-ai/api/google-generative-ai.lazy')).googleGenerativeAIApi(),
  'google-vertex': async () =>
    (await import('@earendil-works/pi-ai/api/google-vertex.lazy')).googleVertexApi(),
  'mistral-conversations': async () =>
    (await import('@earendil-works/pi-ai/api/mistral-conversations.lazy')).mistralConversationsApi(),
  'pi-messages': async () => (await import('@earendil-works/pi-ai/api/pi-messages.lazy')).piMessagesApi(),
};
