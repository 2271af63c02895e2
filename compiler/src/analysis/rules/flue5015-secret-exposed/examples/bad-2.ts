import { connectMcpServer } from '@flue/runtime';
export const x = await connectMcpServer('x', {
  url: 'https://x.dev/mcp',
  headers: {
    // expect below: FLUE5015 warning
    Authorization: 'Bearer sk-live-0123456789abcdefABCDEF0123456789',
  },
});
