import { expect, it } from 'vitest';
import { providerName, requestInfo } from './model-request.ts';

it.each([
  ['amazon-bedrock', 'aws.bedrock'],
  ['azure', 'azure.ai.openai'],
  ['azure-openai-responses', 'azure.ai.openai'],
  ['google', 'gcp.gemini'],
  ['google-vertex', 'gcp.vertex_ai'],
  ['mistral', 'mistral_ai'],
  ['moonshotai', 'moonshot_ai'],
  ['moonshotai-cn', 'moonshot_ai'],
  ['xai', 'x_ai'],
  ['openai', 'openai'],
  ['constructor', 'constructor'],
])('%s is known to telemetry as %s (EVT-09)', (id, name) => {
  expect(providerName(id)).toBe(name);
});

it('a request names the level that was really used, and none where none is sent (THINK-04, EVT-09)', () => {
  const model = { provider: 'xai', id: 'grok', api: 'openai-completions', reasoning: true };
  const asked = { thinkingLevel: 'max', maxTokens: 100 } as const;
  expect(requestInfo(asked, model, { isCompacted: true, level: 'high' })).toEqual({
    providerId: 'xai',
    providerName: 'x_ai',
    requestedModel: 'grok',
    api: 'openai-completions',
    reasoningLevel: 'high',
    maxTokens: 100,
    contextCompacted: true,
  });
  expect(requestInfo({ thinkingLevel: 'off' }, model, { isCompacted: false })).not.toHaveProperty(
    'reasoningLevel',
  );
  const plain = { ...model, reasoning: false };
  expect(requestInfo(asked, plain, { isCompacted: false })).not.toHaveProperty('reasoningLevel');
});
