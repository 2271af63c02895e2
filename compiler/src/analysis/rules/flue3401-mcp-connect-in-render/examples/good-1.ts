'use agent';
import { connectMcpServer, useModel, useTool } from '@flue/runtime';
const x = await connectMcpServer('x', { url: 'https://x.dev/mcp' });
export function Agent() {
  useModel('openai/gpt-5');
  for (const t of x.tools) useTool(t);
}
