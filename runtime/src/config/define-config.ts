import type { FlueConfigExport } from './schema.ts';

/** Returns its argument; it exists so that an editor knows the fields (CFG-01). */
export function defineConfig<const C extends FlueConfigExport>(config: C): C {
  return config;
}
