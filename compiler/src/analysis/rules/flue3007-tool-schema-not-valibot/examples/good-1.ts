import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
export const t = defineTool({ name: 't', description: 'd', input: v.object({ a: v.string() }), run() {} });
