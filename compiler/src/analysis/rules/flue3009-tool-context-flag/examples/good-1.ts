import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  harness: true,
  async run({ harness }) {
    await harness.prompt('x');
  },
});
