import { defineTool } from '@flue/runtime';
export const t = defineTool({ name: 'look up', description: 'd', run() {} }); // expect: FLUE3003 error
