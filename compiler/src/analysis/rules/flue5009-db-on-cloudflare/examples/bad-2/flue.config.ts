export default {
  target: 'cloudflare',
  db: 'src/db.ts',
};
