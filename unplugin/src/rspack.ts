import type { RspackPluginInstance } from '@rspack/core';
import { createRspackPlugin } from 'unplugin';
import { createFluePlugin, type FlueOptions } from './plugin.ts';
import { applyFlue, hooksFor } from './webpack-like.ts';

export type { FlueOptions };

/**
 * Flue in Rspack: `virtual:flue/server` as entry gives a Node server, with `manifest.json` beside it (BLD-01). A build
 * whose `target` is a browser fails where it reaches an agent module (BIND-09).
 */
export default function flue(options: FlueOptions = {}): RspackPluginInstance {
  const plugin = createFluePlugin(options);
  const base = createRspackPlugin(() => hooksFor(plugin))(undefined);
  return {
    apply(compiler) {
      applyFlue(plugin, compiler);
      base.apply(compiler);
    },
  };
}
