import { connectMcpServer, defineTool } from '@flue/runtime';
const x = await connectMcpServer('x', { url: 'https://x.dev/mcp' });
export const t = defineTool(x.tools[0]); // expect: FLUE3402 warning
