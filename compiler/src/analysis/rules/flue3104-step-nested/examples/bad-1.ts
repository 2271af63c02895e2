import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  async run({ step }) {
    await step.do('a', async () => {
      await step.do('b', () => 1); // expect: FLUE3104 hint
      return 1;
    });
  },
});
