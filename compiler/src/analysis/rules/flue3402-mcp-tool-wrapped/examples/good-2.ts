'use agent';
import { connectMcpServer, useModel, useTool } from '@flue/runtime';
import { flag } from 'flags';
const x = await connectMcpServer('x', { url: 'https://x.dev/mcp' });
export function Agent() {
  useModel('openai/gpt-5');
  for (const t of x.tools) useTool({ ...t, run: (c) => (flag() ? t.run(c) : 'refused') });
}
