export default { target: 'cloudflare', db: './store.ts' };
