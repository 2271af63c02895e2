import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { root } from './workspace.mjs';

/**
 * CommonJS with the analysis inside; `typescript` stays out, since the editor hands over its own copy. tsserver calls
 * what `require` gives it, so the default export becomes the module itself, in code and in types.
 * `options` are esbuild's, for whoever needs another bundle of the same shape.
 */
export async function bundlePlugin(outfile, options = {}) {
  await build({
    absWorkingDir: join(root, 'ts-plugin'),
    entryPoints: ['src/index.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    conditions: ['flue-source'],
    external: ['typescript', 'typescript/*'],
    footer: { js: 'module.exports = module.exports.default;' },
    sourcemap: true,
    logLevel: 'warning',
    ...options,
  });
  writeFileSync(
    join(dirname(outfile), 'index.d.cts'),
    "import init = require('./index');\ndeclare const plugin: typeof init.default;\nexport = plugin;\n",
  );
}
