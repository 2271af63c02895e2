import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  async run({ step }) {
    const id = crypto.randomUUID();
    await step.do('a' + id, () => 1); // expect: FLUE3103 error
  },
});
