import { defineTool } from '@flue/runtime';
export const t = defineTool({ name: 't', description: 'd', execute() {} }); // expect: FLUE3002 error
