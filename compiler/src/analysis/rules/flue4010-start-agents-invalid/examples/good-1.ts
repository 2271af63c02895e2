import { useModel } from '@flue/runtime';
import { start } from '@flue/runtime/node';
await start({
  agents: [
    {
      agent: () => {
        useModel('openai/gpt-5');
      },
      name: 'probe',
    },
  ],
});
