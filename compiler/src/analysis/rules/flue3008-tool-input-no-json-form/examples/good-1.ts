import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
export const t = defineTool({
  name: 't',
  description: 'd',
  input: v.object({
    at: v.pipe(
      v.string(),
      v.isoTimestamp(),
      v.transform((s) => new Date(s)),
    ),
  }),
  run() {},
});
