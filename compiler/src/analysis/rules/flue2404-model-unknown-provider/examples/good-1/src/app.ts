import { registerProvider } from '@flue/runtime';
registerProvider('acme', { api: 'openai-completions', baseUrl: 'https://acme.dev/v1' });
