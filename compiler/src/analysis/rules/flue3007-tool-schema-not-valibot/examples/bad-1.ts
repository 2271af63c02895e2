import { defineTool } from '@flue/runtime';
export const t = defineTool({ name: 't', description: 'd', input: { type: 'object' }, run() {} }); // expect: FLUE3007 error
