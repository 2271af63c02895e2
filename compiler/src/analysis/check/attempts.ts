import { viewOf } from '../compose/parts.ts';
import type { Project } from '../compose/project.ts';
import type { Module } from '../program.ts';
import type { ProjectFacts } from '../project-facts.ts';
import type { Rule } from '../rules/define-rule.ts';

/** A rule that broke; its findings are missing, everybody else's are not (RULE-05). */
export interface EngineFailure {
  readonly rule: string;
  readonly message: string;
  /** project path of the file that breaks it, where one does so by itself */
  readonly file?: string | undefined;
}

/** How rules are run: one that breaks is noted and ends nothing. */
export interface Attempts {
  readonly failures: EngineFailure[];
  readonly around: (code: string, run: () => void) => void;
}

export function attempt(
  rule: Rule,
  { failures, around }: Attempts,
  run: () => void,
  file: () => string | undefined = () => undefined,
): void {
  try {
    around(rule.code, run);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    failures.push({ rule: rule.code, message, file: file() });
  }
}

/** Looks at one file after the other, since the author has to know which one to leave out. */
export function breakingFile(
  project: Project,
  modules: readonly Module[],
  rule: Rule,
  facts: ProjectFacts,
): string | undefined {
  const breaks = (module: Module) => {
    try {
      rule.check(viewOf(project, { modules: [module] }), () => {}, facts);
      return false;
    } catch {
      return true;
    }
  };
  return modules.find(breaks)?.path;
}
