import { defineTool } from '@flue/runtime';
import { flag } from 'flags';
export const t = defineTool({ name: 't', description: 'd', input: flag(), run() {} });
