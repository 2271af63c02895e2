import { createWebpackPlugin } from 'unplugin';
import type { WebpackPluginInstance } from 'webpack';
import { createFluePlugin, type FlueOptions } from './plugin.ts';
import { applyFlue, hooksFor } from './webpack-like.ts';

export type { FlueOptions };

/**
 * Flue in webpack: `virtual:flue/server` as entry gives a Node server, with `manifest.json` beside it (BLD-01). A build
 * whose `target` is a browser fails where it reaches an agent module (BIND-09).
 */
export default function flue(options: FlueOptions = {}): WebpackPluginInstance {
  const plugin = createFluePlugin(options);
  const base = createWebpackPlugin(() => hooksFor(plugin))(undefined);
  return {
    apply(compiler) {
      applyFlue(plugin, compiler);
      base.apply(compiler);
    },
  };
}
