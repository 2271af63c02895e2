import { useModel, useTool } from '@flue/runtime';
import { serve, sqlite } from '@flue/runtime/node';
import { createAgentRouter } from '@flue/runtime/routing';
import { type ScriptStep, scriptModel } from '@flue/runtime/testing';

/*
 * A server on the file DB with one agent at /. A message "pile N" makes a tool return N bytes, which the store has to
 * keep; anything else is answered at once.
 */

function Desk() {
  useModel('offline/script');
  useTool({ name: 'pile', description: 'Returns much.', run: () => 'x'.repeat(100_000) });
}

scriptModel({
  steps({ messages }): ScriptStep {
    const last = messages.at(-1);
    const text = JSON.stringify(last?.content ?? '');
    if (last?.role === 'user' && text.includes('pile'))
      return { toolCalls: [{ name: 'pile', arguments: {} }] };
    return { text: 'Done.' };
  },
});

await serve({
  registration: async () => ({ agents: [Desk], manifestHash: 'sha256:none' }),
  db: async () => ({ default: sqlite(process.env.DB as string) }),
  app: async () => ({ default: createAgentRouter(Desk) }),
  appFile: 'app.ts',
});
