import { registerProvider } from '@flue/runtime';
registerProvider('acme', {
  api: 'openai-completions',
  baseUrl: 'https://x.dev',
  apiKey: process.env.ACME_KEY,
});
