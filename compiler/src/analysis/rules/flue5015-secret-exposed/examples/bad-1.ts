import { registerProvider } from '@flue/runtime';
registerProvider('acme', {
  api: 'openai-completions',
  baseUrl: 'https://x.dev',
  apiKey: 'sk-live-0123456789abcdefABCDEF0123456789', // expect: FLUE5015 warning
});
