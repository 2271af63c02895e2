import { defineTool } from '@flue/runtime';
export const t = defineTool({ name: 't', description: '', run() {} }); // expect: FLUE3001 error
