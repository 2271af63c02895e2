import { defineTool } from '@flue/runtime';
import * as v from 'valibot';

export function makeTool(region: string | undefined) {
  return defineTool({
    name: 'greet',
    description: 'Greets.',
    input: v.object({ region: v.literal(region ?? 'eu') }),
    run: () => 'hello',
  });
}
