import { connectMcpServer } from '@flue/runtime';
export const x = await connectMcpServer('x', { url: '/mcp' }); // expect: FLUE3404 error
