import { readFileSync, realpathSync } from 'node:fs';
import * as flueConfig from '@flue/runtime/config';
import {
  type FlueConfig,
  type FlueProject,
  loadFlueConfig,
  mergeFlueConfig,
  parseFlueConfig,
  resolveFlueProject,
} from '@flue/runtime/config';

export interface LoadProjectOptions {
  /** absolute */
  readonly root: string;
  /** instead of the file that is found in the root */
  readonly configFile?: string;
  /** options given in code; a defined one wins over the file (CFG-11) */
  readonly inline?: FlueConfig;
  readonly command?: string;
  readonly mode?: string;
}

export interface LoadedProject {
  readonly project: FlueProject;
  readonly warnings: readonly string[];
}

/** Configuration and layout of the project in `root`; every fault is a `FlueConfigError`. */
export async function loadProject(options: LoadProjectOptions): Promise<LoadedProject> {
  const root = realpathSync.native(options.root);
  const { inline = {}, configFile: named, command, mode } = options;
  const loaded = await loadFlueConfig({
    cwd: root,
    load: importTypeScript,
    ...(named !== undefined && { configFile: named }),
    ...(command !== undefined && { command }),
    ...(mode !== undefined && { mode }),
  });
  const config = mergeFlueConfig(loaded.config, parseFlueConfig(inline, 'the plugin options'));
  const { configFile, warnings } = loaded;
  return {
    project: resolveFlueProject({ root, config, ...(configFile !== undefined && { configFile }) }),
    warnings,
  };
}

/**
 * Any TypeScript syntax and the project's path aliases on every supported Node (CFG-03). `defineConfig` is ours, so that
 * a project is checked before anything is installed in it.
 */
async function importTypeScript(path: string): Promise<unknown> {
  const { createJiti } = await import('jiti');
  const jiti = createJiti(path, {
    fsCache: false,
    moduleCache: false,
    tsconfigPaths: true,
    virtualModules: { '@flue/runtime/config': flueConfig },
  });
  // Not `jiti.import`: Node would keep the first `.mjs` it saw, and a watching host must see the edited one.
  return jiti.evalModule(readFileSync(path, 'utf8'), { filename: path, async: true, forceTranspile: true });
}
