import { connectMcpServer } from '@flue/runtime';
export async function boot() {
  return connectMcpServer('x', { url: 'https://x.dev/mcp' });
}
