import { defineTool } from '@flue/runtime';
import { flag } from 'flags';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  async run({ step }) {
    await step.do(String(flag()), () => 1);
  },
});
