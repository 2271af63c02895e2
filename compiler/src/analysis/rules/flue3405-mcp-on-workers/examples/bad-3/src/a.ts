import { connectMcpServer } from '@flue/runtime';
const x = await connectMcpServer('x', { url: 'https://x.dev/mcp' });
export const tools = () => x.tools;
