import { defineTool } from '@flue/runtime';
import { flag } from 'flags';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  async run({ step }) {
    if (flag()) await step.do('a', () => 1);
    else await step.do('a', () => 2);
  },
});
