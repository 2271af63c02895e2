import { connectMcpServer } from '@flue/runtime';
export const boot = () => connectMcpServer('x', { url: 'https://x.dev/mcp' });
