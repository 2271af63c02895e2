import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  async run({ step }) {
    await step.do('a', () => 1);
    await step.do('a', () => 2); // expect: FLUE3102 error
  },
});
