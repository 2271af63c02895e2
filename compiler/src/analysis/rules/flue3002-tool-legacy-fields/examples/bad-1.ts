import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
export const t = defineTool({ name: 't', description: 'd', parameters: v.object({}), run() {} }); // expect: FLUE3002 error
