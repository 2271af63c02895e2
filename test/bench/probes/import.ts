const began = performance.now();
if (process.argv[2] === 'ours') await import('@flue/runtime/node');
else await Promise.all([import('better-sqlite3'), import('hono')]);
console.log(performance.now() - began);
