import { join } from 'node:path';
import flue from '@flue/unplugin/vite';
import { build } from 'vite';

/* Milliseconds of one build of a project, from its configuration to its files. */
const [root, plugin] = process.argv.slice(2) as [string, 'with' | 'without'];
const began = performance.now();
await build({
  root,
  configFile: false,
  logLevel: 'silent',
  plugins: plugin === 'with' ? [flue()] : [],
  build: {
    ssr: join(root, 'src/main.ts'),
    target: 'node20',
    rollupOptions: { external: /^(?:@flue\/|valibot)/ },
  },
});
console.log(performance.now() - began);
