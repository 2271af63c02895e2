import { defineTool } from '@flue/runtime';
export const t = defineTool({ name: 't', description: 'd', harnes: true, run() {} }); // expect: FLUE3001 error
