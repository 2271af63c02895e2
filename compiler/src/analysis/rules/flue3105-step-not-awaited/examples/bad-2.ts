import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  async run({ step }) {
    void step.do('a', () => 1); // expect: FLUE3105 warning
  },
});
