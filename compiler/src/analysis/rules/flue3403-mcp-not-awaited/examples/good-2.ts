import { connectMcpServer } from '@flue/runtime';
export const tools = connectMcpServer('x', { url: 'https://x.dev/mcp' }).then((c) => c.tools);
