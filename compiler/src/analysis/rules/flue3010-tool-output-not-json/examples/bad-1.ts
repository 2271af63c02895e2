import { defineTool } from '@flue/runtime';
export const t = defineTool({ name: 't', description: 'd', async run() { return { res: await fetch('https://example.com') }; } }); // expect: FLUE3010 error
