import { createAssistantMessageEventStream } from '@earendil-works/pi-ai/utils/event-stream';
import { expect, it } from 'vitest';
import { modelSettings } from '../../app/settings.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { createModelGateway } from '../models/create-model-gateway.ts';
import { NO_USAGE } from '../models/usage.ts';
import { registerApiProvider, registerProvider } from './registrations.ts';
import { getCurrentSystemPrompt, getCurrentTools, type HandlerMessages } from './transcript.ts';

it('a handler gets messages alone, and finds prompt and tools in them (PROV-14)', async () => {
  const contexts: { messages: HandlerMessages }[] = [];
  const answer = (model: { id: string }, context: { messages: HandlerMessages }) => {
    contexts.push(context);
    const events = createAssistantMessageEventStream();
    const message = { role: 'assistant', content: [], provider: 'own', model: model.id, api: 'own' };
    events.push({
      type: 'done',
      reason: 'stop',
      message: { ...message, usage: NO_USAGE, stopReason: 'stop' },
    } as never);
    events.end();
    return events;
  };
  registerApiProvider({ api: 'own', stream: answer, streamSimple: answer });
  registerProvider('own', { api: 'own', baseUrl: 'http://127.0.0.1:9', apiKey: 'not-a-secret' });

  const gateway = createModelGateway({ env: {}, settings: modelSettings(undefined, {}), clock: fakeClock() });
  const tool = { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } };
  const request = {
    specifier: 'own/any',
    system: 'You look.',
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }],
    tools: [tool],
    thinkingLevel: 'off' as const,
    sessionId: 'c',
    purpose: 'agent' as const,
  };
  const ends: string[] = [];
  for await (const event of gateway.stream(request, new AbortController().signal)) {
    if (event.type === 'end') ends.push(event.stop);
  }
  expect(ends).toEqual(['stop']);

  const { messages, ...rest } = contexts[0]!;
  expect(rest).toEqual({});
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(getCurrentSystemPrompt(messages)).toBe('You look.');
  expect(getCurrentTools(messages)).toMatchObject([tool]);
});
