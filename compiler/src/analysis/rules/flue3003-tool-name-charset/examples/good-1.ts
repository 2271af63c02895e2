import { defineTool } from '@flue/runtime';
export const t = defineTool({ name: 'look_up-2', description: 'd', run() {} });
