import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVitePlugin } from 'unplugin';
import type { Plugin, UserConfig } from 'vite';
import { createFluePlugin, type FlueOptions } from './plugin.ts';
import { refuseAgents, writeManifest } from './rollup-like.ts';

export type { FlueOptions };

/**
 * Flue in Vite. `vite build` then writes `server.mjs` and `manifest.json` into the output folder: a Node server that
 * starts itself (BLD-01). A build with an entry of its own keeps it and gets the virtual modules and bound identities.
 * A build for browsers fails where it reaches an agent module (BIND-09).
 */
export default function flue(options: FlueOptions = {}): Plugin {
  const plugin = createFluePlugin(options);
  const base = createVitePlugin(() => plugin.hooks)(undefined) as Plugin;
  let isBuild = false;
  return {
    ...base,
    config: async (config, { command }) =>
      command === 'build' && !hasEntry(config) ? serverBuild(config) : undefined,
    configResolved: ({ root, command }) => {
      isBuild = command === 'build';
      plugin.setRoot(root);
    },
    buildEnd(error) {
      if (isBuild && !error && this.environment.config.consumer === 'client') refuseAgents(plugin, this);
    },
    // Written here, since Vite drops the assets that plugins emit in a server build.
    writeBundle: ({ dir }, bundle) => writeManifest(plugin, dir, bundle),
  };
}

function hasEntry({ build }: UserConfig): boolean {
  const rolldown = (build as { rolldownOptions?: { input?: unknown } } | undefined)?.rolldownOptions;
  return Boolean(build?.lib || build?.ssr || build?.rollupOptions?.input || rolldown?.input);
}

/**
 * Everything in `package.json` stays external, since the server runs beside its `node_modules`, save what the author wants
 * in it: for Vite an `external` of ours would win over that.
 */
async function serverBuild({ root = process.cwd(), ssr = {} }: UserConfig): Promise<UserConfig> {
  const isInside = await bundledBy(ssr.noExternal);
  return {
    build: {
      ssr: true,
      target: 'node20',
      rollupOptions: {
        input: { server: 'virtual:flue/server' },
        // The compiler works in buildStart, which Rolldown would report as a slow plugin on every build.
        checks: { pluginTimings: false },
        output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: 'chunks/[name]-[hash].mjs' },
      },
    },
    ssr: { external: dependenciesOf(root).filter((name) => !isInside(name)) },
  };
}

/** Judges as Vite does. */
async function bundledBy(noExternal: NonNullable<UserConfig['ssr']>['noExternal']) {
  if (noExternal === undefined || noExternal === true) return () => noExternal === true;
  const { createFilter } = await import('vite');
  const isExternal = createFilter(undefined, noExternal, { resolve: false });
  return (name: string) => !isExternal(name);
}

function dependenciesOf(root: string): string[] {
  try {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
      optionalDependencies?: Record<string, string>;
    };
    return Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  } catch {
    return [];
  }
}
