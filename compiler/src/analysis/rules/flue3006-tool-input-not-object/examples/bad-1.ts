import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
export const t = defineTool({ name: 't', description: 'd', input: v.string(), run() {} }); // expect: FLUE3006 error
