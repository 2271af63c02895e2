import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { BuildOptions, Metafile, Plugin, PluginBuild } from 'esbuild';
import { createEsbuildPlugin } from 'unplugin';
import { createFluePlugin, type FlueOptions, type FluePlugin, resolvedId } from './plugin.ts';
import { MANIFEST_FILE } from './virtual-modules.ts';

export type { FlueOptions };

const NAMESPACE = 'flue';
const SERVER = `${NAMESPACE}:${resolvedId('virtual:flue/server')}`;

/**
 * Flue in esbuild: `virtual:flue/server` as entry point gives a Node server, with `manifest.json` beside it (BLD-01).
 * esbuild builds for browsers unless `platform` says otherwise; such a build fails where it reaches an agent module
 * (BIND-09).
 */
export default function flue(options: FlueOptions = {}): Plugin {
  const plugin = createFluePlugin(options);
  const base = createEsbuildPlugin(() => ({ ...plugin.hooks, name: NAMESPACE }))(undefined) as Plugin;
  return {
    ...base,
    async setup(build) {
      const root = build.initialOptions.absWorkingDir ?? process.cwd();
      plugin.setRoot(root);
      build.initialOptions.metafile = true;
      await base.setup(build);
      resolveFromRoot(build, root);
      build.onEnd(({ metafile, errors }) => {
        if (!metafile || errors.length > 0) return undefined;
        const problem = isForBrowsers(build.initialOptions)
          ? reachesAgents(plugin, metafile, root)
          : undefined;
        if (problem !== undefined) return { errors: [{ text: problem }] };
        writeManifest(plugin, metafile, build.initialOptions, root);
        return undefined;
      });
    },
  };
}

/** What a virtual module imports is found from the project: it stands in no folder itself. */
function resolveFromRoot(build: PluginBuild, root: string): void {
  build.onResolve({ filter: /.*/, namespace: NAMESPACE }, ({ path, kind, pluginData }) =>
    pluginData === NAMESPACE
      ? undefined
      : build.resolve(path, { kind, resolveDir: root, pluginData: NAMESPACE }),
  );
}

/** The default; a build that leaves packages outside and says nothing may be for either. */
function isForBrowsers({ platform, packages, external }: BuildOptions): boolean {
  return platform === 'browser' || (platform === undefined && packages !== 'external' && !external?.length);
}

function reachesAgents(plugin: FluePlugin, { inputs }: Metafile, root: string): string | undefined {
  const importers = new Map<string, string[]>();
  for (const [from, { imports }] of Object.entries(inputs)) {
    for (const { path } of imports)
      importers.set(resolve(root, path), [
        ...(importers.get(resolve(root, path)) ?? []),
        resolve(root, from),
      ]);
  }
  const reached = Object.keys(inputs).map((path) => resolve(root, path));
  return plugin.refuseInBrowser(reached.filter(plugin.isAgentModule), (id) => importers.get(id) ?? []);
}

/** Beside the server (EMIT-11), unless nothing is written. */
function writeManifest(
  plugin: FluePlugin,
  { outputs }: Metafile,
  { write }: BuildOptions,
  root: string,
): void {
  const manifest = plugin.manifest();
  for (const [file, { entryPoint }] of Object.entries(outputs)) {
    if (entryPoint !== SERVER || manifest === undefined || write === false) continue;
    const folder = dirname(resolve(root, file));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, MANIFEST_FILE), manifest);
  }
}
