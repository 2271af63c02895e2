import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
import { flag } from 'flags';
export const t = defineTool({
  name: 't',
  description: 'd',
  output: v.string(),
  run() { // expect: FLUE3011 warning
    if (flag()) return 'x';
  },
});
