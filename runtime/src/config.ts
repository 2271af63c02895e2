/** Configuration of a project, for tooling: not for agent modules (CFG-12). Ships no TypeScript loader. */
export {
  FLUE_CONFIG_BASENAMES,
  type LoadedFlueConfig,
  type LoadFlueConfigOptions,
  loadFlueConfig,
  loadFlueConfigModule,
  type ModuleLoader,
  resolveFlueConfigPath,
} from './config/config-file.ts';
export { defineConfig } from './config/define-config.ts';
export { describeIssue, FlueConfigError, type FlueConfigIssue } from './config/flue-config-error.ts';
export {
  discoverProjectEntry,
  type FlueProject,
  PROJECT_ENTRY_EXTENSIONS,
  type ProjectEntryName,
  resolveFlueProject,
  resolveSourceRoot,
} from './config/flue-project.ts';
export { mergeFlueConfig, parseFlueConfig } from './config/parse-flue-config.ts';
export {
  BUILD_BLOCKING_RULES,
  type FlueConfig,
  type FlueConfigContext,
  type FlueConfigExport,
} from './config/schema.ts';
export { nearest, suggestion } from './contract/nearest.ts';
