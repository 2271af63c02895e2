import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
export const t = defineTool({
  name: 't',
  description: 'd',
  input: v.objectAsync({ a: v.string() }), // expect: FLUE3007 error
  run() {},
});
