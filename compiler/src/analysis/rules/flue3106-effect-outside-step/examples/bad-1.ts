import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  async run({ step }) {
    await fetch('https://example.com', { method: 'POST' }); // expect: FLUE3106 hint
  },
});
