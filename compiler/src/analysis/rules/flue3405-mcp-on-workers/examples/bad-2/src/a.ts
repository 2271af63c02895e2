import { connectMcpServer } from '@flue/runtime';
const x = await connectMcpServer('x', { url: 'https://x.dev/mcp' });
await x.close();
