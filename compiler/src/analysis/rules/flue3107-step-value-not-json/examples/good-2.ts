import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  async run({ step }) {
    await step.do('a', async () => (await fetch('https://example.com')).status);
  },
});
