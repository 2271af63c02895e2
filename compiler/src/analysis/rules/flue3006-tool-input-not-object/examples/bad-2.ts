import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
export const t = defineTool({
  name: 't',
  description: 'd',
  input: v.union([v.object({ a: v.string() }), v.object({ b: v.string() })]), // expect: FLUE3006 error
  run() {},
});
