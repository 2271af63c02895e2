import type { Plugin } from 'rolldown';
import { createRolldownPlugin } from 'unplugin';
import { createFluePlugin, type FlueOptions } from './plugin.ts';
import { refuseAgents, writeManifest } from './rollup-like.ts';

export type { FlueOptions };

/**
 * Flue in Rolldown: `virtual:flue/server` as input gives a Node server, with `manifest.json` beside it (BLD-01). A build
 * whose `platform` is `browser` fails where it reaches an agent module (BIND-09).
 */
export default function flue(options: FlueOptions = {}): Plugin {
  const plugin = createFluePlugin(options);
  const base = createRolldownPlugin(() => plugin.hooks)(undefined) as Plugin;
  let isBrowser = false;
  return {
    ...base,
    options: ({ platform }) => {
      isBrowser = platform === 'browser';
      return null;
    },
    buildEnd(error) {
      if (isBrowser && !error) refuseAgents(plugin, this);
    },
    writeBundle: ({ dir }, bundle) => writeManifest(plugin, dir, bundle),
  };
}
