export default { target: 'cloudflare' };
