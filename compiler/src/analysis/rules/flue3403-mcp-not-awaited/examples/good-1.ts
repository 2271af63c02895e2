import { connectMcpServer } from '@flue/runtime';
const x = connectMcpServer('x', { url: 'https://x.dev/mcp' });
export const tools = (await x).tools;
