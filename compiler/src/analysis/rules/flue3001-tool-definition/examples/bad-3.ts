import { defineTool } from '@flue/runtime';
export const t = defineTool({ name: 't', description: 'd' }); // expect: FLUE3001 error
