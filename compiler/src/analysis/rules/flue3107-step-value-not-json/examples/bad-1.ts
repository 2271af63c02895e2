import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  async run({ step }) {
    await step.do('a', () => new Map()); // expect: FLUE3107 error
  },
});
