import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  async run() {
    await fetch('https://example.com');
  },
});
