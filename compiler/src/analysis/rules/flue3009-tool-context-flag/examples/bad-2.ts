import { defineTool } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  run(ctx) {
    return ctx.data.id; // expect: FLUE3009 error
  },
});
