import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  durable: true,
  async run({ step, toolCallId }) {
    await step.do(`a:${toolCallId}`, () => 1);
  },
});
