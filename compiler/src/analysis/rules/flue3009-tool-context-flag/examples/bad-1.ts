import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  async run({ step }) { // expect: FLUE3009 error
    await step.do('a', () => 1);
  },
});
