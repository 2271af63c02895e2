import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests run the sources of the workspace, never a build: `flue-source` is the condition that selects them. */
const conditions = ['flue-source', 'node', 'import', 'module', 'default'];

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['{runtime,compiler,unplugin,ts-plugin,test}/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/.flue/**'],
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
