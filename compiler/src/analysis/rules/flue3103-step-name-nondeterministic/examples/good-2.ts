import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  async run({ step }) {
    const id = await step.do('id', () => crypto.randomUUID());
    await step.do(`b:${id}`, () => 1);
  },
});
