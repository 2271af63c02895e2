/** The analysis of Flue modules: files in, agents and diagnostics out. Receives its TypeScript and its files (RULE-02). */
export { type Analysis, type AnalysisOptions, analyse } from './analyse.ts';
export type { EngineFailure } from './check/attempts.ts';
export type { CheckOptions } from './check/check.ts';
export { type ConfiguredSeverity, isBuildBlocking } from './check/severities.ts';
export { codeOf } from './codes.ts';
export {
  compareDiagnostics,
  type Diagnostic,
  type Fix,
  type Related,
  type Severity,
  type Span,
  type TextEdit,
} from './diagnostic.ts';
export { findDirective, isCandidate } from './find.ts';
export {
  type AnalysisHost,
  type ModelInfo,
  type Resolution,
  type SourceText,
  type TypeScript,
  typeChecksJs,
} from './host.ts';
export { memoryHost } from './memory-host.ts';
export { nodeAt } from './node-at.ts';
export type { Module } from './program.ts';
export type { ProjectFacts, ProjectFile } from './project-facts.ts';
export type { Rule } from './rules/define-rule.ts';
export { rules } from './rules/index.ts';
export type * from './summary.ts';
