import { defineTool } from '@flue/runtime';
export const t = defineTool({ name: 'orders.get', description: 'd', run() {} }); // expect: FLUE3003 error
