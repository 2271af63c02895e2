import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  async run({ step }) {
    const inner = () => step.do('b', () => 1); // expect: FLUE3104 hint
    await step.do('a', () => inner());
  },
});
