import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
export const t = defineTool({ name: 't', description: 'd', output: v.object({ a: v.string() }), run() {} }); // expect: FLUE3011 error
