import { connectMcpServer } from '@flue/runtime';
const x = await connectMcpServer('x', { url: 'https://x.dev/mcp' });
export const names = x.tools.map((tool) => tool.name);
