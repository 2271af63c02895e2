import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
export const t = defineTool({
  name: 't',
  description: 'd',
  input: v.pipe(
    v.strictObject({ a: v.string() }),
    v.check(() => true),
  ),
  run() {},
});
