import { createAssistantMessageEventStream } from '@earendil-works/pi-ai/utils/event-stream';
import { expect, it } from 'vitest';
import { local } from '../../adapters/node/local.ts';
import { registerApiProvider, registerProvider } from '../../adapters/pi-ai/registrations.ts';
import { init } from '../../app/init.ts';
import { startTest } from '../../app/runtime.test.support.ts';
import { observe } from '../events/observe.ts';
import { useModel } from '../hooks/use-model.ts';
import { useSandbox } from '../hooks/use-sandbox.ts';

/** A provider that answers at once. */
function answer(model: { id: string }) {
  const events = createAssistantMessageEventStream();
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
  const message = {
    ...{ role: 'assistant', provider: 'kept', model: model.id, api: 'kept', usage, stopReason: 'stop' },
    content: [{ type: 'text', text: 'Yes.' }],
  };
  events.push({ type: 'done', reason: 'stop', message } as never);
  events.end();
  return events;
}

it('a variable of local() that carries a credential is warned of once, by its name alone (LOC-04)', async () => {
  registerApiProvider({ api: 'kept', stream: answer, streamSimple: answer } as never);
  registerProvider('kept', { api: 'kept', baseUrl: 'http://127.0.0.1:9', apiKeyEnv: 'KEPT_KEY' });
  const key = 'kept-key-of-a-provider';
  function Keeper() {
    useModel('kept/any');
    useSandbox(local({ env: { TOKEN: `Bearer ${key}`, PLAIN: 'harmless', GONE: undefined } }));
  }
  const lines: object[] = [];
  const stop = observe((event) => void (event.type === 'log' && lines.push(event)), { types: ['log'] });
  const flue = await startTest({ agents: [Keeper], env: { KEPT_KEY: key, FLUE_LOG: 'warn' } });
  await init(Keeper, { id: 'a' }).dispatch('Hi');
  await init(Keeper, { id: 'b' }).dispatch('Hi');
  await flue.stop();
  stop();
  const told = lines.filter((line) => JSON.stringify(line).includes('local('));
  expect(told).toMatchObject([
    { level: 'warn', message: expect.stringContaining('"TOKEN"'), attributes: { variable: 'TOKEN' } },
  ]);
  expect(flue.log.filter((line) => line.includes('"TOKEN"'))).toHaveLength(1);
  expect(flue.log.join('')).not.toContain(key);
});
