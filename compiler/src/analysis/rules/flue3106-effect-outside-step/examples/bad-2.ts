import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  harness: true,
  async run({ harness }) {
    await harness.prompt('x'); // expect: FLUE3106 hint
  },
});
