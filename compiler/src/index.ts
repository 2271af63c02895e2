/** The compiler as a library: for the build plugin and other hosts. The rule engine alone is `@flue/compiler/analysis`. */

export type { Diagnostic, Fix, Related, Severity, Span, TextEdit } from './analysis/diagnostic.ts';
export { type Builds, type Built, openBuilds } from './build.ts';
export { openCacheFolder } from './cache/cache-folder.ts';
export {
  type Compilation,
  type CompileOptions,
  type Compiler,
  openCompiler,
} from './compile.ts';
export { type LoadedProject, type LoadProjectOptions, loadProject } from './config/load-project.ts';
export { type PackagedSkill, readPackagedSkill } from './emit/packaged-skill.ts';
export { NotGeneratedError, writeOutputs } from './emit/write-outputs.ts';
export { ProjectError } from './project/project-error.ts';
export { prettyReport } from './report/pretty.ts';
export { type Report, summaryLine } from './report/report.ts';
