import { defineTool } from '@flue/runtime';
import { flag } from 'flags';
export const t = defineTool({ name: flag(), description: 'd', run() {} });
