import { defineTool } from '@flue/runtime';
export const t = defineTool({ name: 't', description: 'd', run() { return JSON.parse('{}'); } });
