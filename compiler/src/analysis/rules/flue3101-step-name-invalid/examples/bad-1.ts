import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  async run({ step }) {
    await step.do('', () => 1); // expect: FLUE3101 error
  },
});
