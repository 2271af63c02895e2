import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

/**
 * Makes one plain JavaScript file of a TypeScript module, so that a process which is started many times boots without
 * a transpiler. With `sources` the workspace's own packages are taken from their sources and go into the file; other
 * packages stay where they are installed.
 */
export async function bundleModule(
  entry: URL,
  outfile: string,
  { sources = true }: { readonly sources?: boolean } = {},
): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    conditions: sources ? ['flue-source'] : [],
    plugins: [installedPackages(sources ? /^@flue\// : /^$/)],
    logLevel: 'warning',
  });
}

/** A file elsewhere finds no `node_modules`, so what is not bundled is named by its place. */
function installedPackages(bundled: RegExp): Plugin {
  return {
    name: 'installed-packages',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /^[^./]/ }, async ({ path, resolveDir, kind, pluginData }) => {
        if (pluginData === 'resolving' || isAbsolute(path) || bundled.test(path)) return undefined;
        const found = await resolve(path, { resolveDir, kind, pluginData: 'resolving' });
        return { path: found.path, external: true };
      });
    },
  };
}
