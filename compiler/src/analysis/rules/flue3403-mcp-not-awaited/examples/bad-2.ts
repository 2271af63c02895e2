import { connectMcpServer } from '@flue/runtime';
export const tools = connectMcpServer('x', { url: 'https://x.dev/mcp' }).tools; // expect: FLUE3403 error
