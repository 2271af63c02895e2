import { defineTool } from '@flue/runtime';
export const t = defineTool({ name: 'read', description: 'd', run() {} });
