import { defineTool } from '@flue/runtime';
export const t = defineTool({ name: 'create_task', description: 'd', run() {} });
