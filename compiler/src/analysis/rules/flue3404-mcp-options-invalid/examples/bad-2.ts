import { connectMcpServer } from '@flue/runtime';
export const x = await connectMcpServer('x', { url: 'https://x.dev/mcp', transport: 'http' }); // expect: FLUE3404 error
