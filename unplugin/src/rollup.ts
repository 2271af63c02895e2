import type { Plugin } from 'rollup';
import { createRollupPlugin } from 'unplugin';
import { createFluePlugin, type FlueOptions } from './plugin.ts';
import { writeManifest } from './rollup-like.ts';

export type { FlueOptions };

/** Flue in Rollup: `virtual:flue/server` as input gives a Node server, with `manifest.json` beside it (BLD-01). */
export default function flue(options: FlueOptions = {}): Plugin {
  const plugin = createFluePlugin(options);
  const base = createRollupPlugin(() => plugin.hooks)(undefined) as Plugin;
  return { ...base, writeBundle: ({ dir }, bundle) => writeManifest(plugin, dir, bundle) };
}
