'use agent';
import { connectMcpServer, useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  void connectMcpServer('x', { url: 'https://x.dev/mcp' }); // expect: FLUE3401 error
}
