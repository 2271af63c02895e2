import { defineTool } from '@flue/runtime';
export const t = defineTool({ name: 't', description: 'd', run() { return { at: new Date(), note: undefined }; } });
