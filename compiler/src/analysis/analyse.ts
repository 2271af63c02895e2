import type { Diagnostic } from './diagnostic.ts';
import type { AnalysisHost } from './host.ts';
import type { AgentFact, ModuleFact } from './summary.ts';

export interface AnalysisOptions {
  /** severities by code or name; `off` silences a rule (RULE-32). Unknown keys are the config loader's to report. */
  readonly severities?: Readonly<Record<string, 'off' | 'hint' | 'info' | 'warn' | 'error'>>;
  /** `strict` turns on FLUE2203 */
  readonly profile?: 'default' | 'strict';
}

export interface Analysis {
  /** ascending by path: the given files and what they import inside the project */
  readonly modules: readonly ModuleFact[];
  /** ascending by identity, then module */
  readonly agents: readonly AgentFact[];
  /** in the order of RULE-06 */
  readonly diagnostics: readonly Diagnostic[];
}

/** Analyse the given files and everything that they import inside the project. Never throws for what a file says. */
export declare function analyse(
  files: readonly string[],
  host: AnalysisHost,
  options?: AnalysisOptions,
): Analysis;
