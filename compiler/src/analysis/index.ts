/** The analysis of Flue modules: files in, agents and diagnostics out. Receives its TypeScript and its files (RULE-02). */
export { analyse, type Analysis, type AnalysisOptions } from './analyse.ts';
export {
  type Diagnostic,
  type Fix,
  type Related,
  type Severity,
  type Span,
  type TextEdit,
  compareDiagnostics,
} from './diagnostic.ts';
export { isCandidate, findDirective } from './find.ts';
export type { AnalysisHost, ModelInfo, Resolution, SourceText, TypeScript } from './host.ts';
export { nodeAt } from './node-at.ts';
export type * from './summary.ts';
