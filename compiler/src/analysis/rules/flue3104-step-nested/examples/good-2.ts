import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  async run({ step }) {
    await Promise.all([step.do('a', () => 1), step.do('b', () => 2)]);
  },
});
