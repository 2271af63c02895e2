import { connectMcpServer } from '@flue/runtime';
export const x = await connectMcpServer('x', { url: new URL('https://x.dev/mcp'), transport: 'sse' });
