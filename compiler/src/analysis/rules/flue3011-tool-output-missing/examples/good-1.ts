import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
import { flag } from 'flags';
export const t = defineTool({
  name: 't',
  description: 'd',
  output: v.string(),
  run() {
    if (flag()) return 'x';
    throw new Error('no');
  },
});
