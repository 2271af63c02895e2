import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  async run({ step }) {
    for (const x of [1, 2]) await step.do('seed', () => x); // expect: FLUE3102 error
  },
});
