import { connectMcpServer } from '@flue/runtime';
export const x = await connectMcpServer('x', { url: process.env.MCP_URL });
