'use agent';
import { connectMcpServer, useModel, useTool } from '@flue/runtime';
const x = await connectMcpServer('x', { url: 'https://x.dev/mcp' });
export function Agent() {
  useModel('openai/gpt-5');
  x.tools.filter((t) => t.name.endsWith('get')).forEach((t) => useTool(t));
}
