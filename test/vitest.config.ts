import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests run the sources of the workspace, never a build: `flue-source` is the condition that selects them. */
const conditions = ['flue-source', 'node', 'import', 'module', 'default'];

const analysis = 'compiler/src/analysis/**/*.test.ts';
const notTests = ['**/node_modules/**', '**/dist/**', '**/.flue/**'];

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    pool: 'forks',
    // Many files wait for processes that they started, so a core that is left free would be idle.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        // Pure functions over one TypeScript, which takes longer to load than most of these files to run.
        test: { name: 'analysis', include: [analysis], exclude: notTests, isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'rest',
          include: ['{runtime,compiler,unplugin,ts-plugin,test}/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: [...notTests, analysis],
        },
      },
    ],
  },
});
