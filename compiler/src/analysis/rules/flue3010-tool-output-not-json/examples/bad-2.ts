import { defineTool } from '@flue/runtime';
export const t = defineTool({ name: 't', description: 'd', run() { return new Map([['a', 1]]); } }); // expect: FLUE3010 error
