import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
export const t = defineTool({
  name: 't',
  description: 'd',
  input: v.object({ ids: v.set(v.string()) }), // expect: FLUE3008 warning
  run() {},
});
