import { RULES, type RuleCode, type RuleName } from '@flue/runtime/internal';
import type { Project } from '../compose/project.ts';
import type { Severity } from '../diagnostic.ts';
import type { Module, Range, Suppression } from '../program.ts';
import type { ProjectFacts, Source } from '../project-facts.ts';
import type { Types } from '../types.ts';

/** What a rule says about one place. The message is one line and names no absolute path (RULE-34). */
export interface Finding {
  /** a module, or `sourceOf` any other file */
  readonly module: Source;
  readonly range: Range;
  readonly message: string;
  /** when it differs from the rule's own */
  readonly severity?: Severity;
  readonly related?: readonly RelatedPlace[];
  readonly fixes?: readonly Repair[];
}

export interface RelatedPlace {
  readonly module: Source;
  readonly range: Range;
  readonly message: string;
}

/** A repair within the module of the finding. */
export interface Repair {
  readonly title: string;
  readonly safe: boolean;
  readonly edits: readonly { readonly start: number; readonly end: number; readonly text: string }[];
}

export type Report = (finding: Finding) => void;

/** What only types can tell of a place in a module (RULE-07). */
export interface TypeQuestion {
  readonly module: Module;
  /** other modules of which the answer asks; the module imports them */
  readonly also?: readonly Module[];
  readonly answer: (types: Types, report: Report) => void;
}

/** A suppression comment, and what it met: for the two rules about them. */
export interface Suppressed {
  readonly module: Source;
  readonly comment: Suppression;
  /** its codes that match no finding, though their rules ran; none where the comment suppresses nothing anyway */
  readonly unused: readonly string[];
}

export interface RuleInput {
  readonly code: RuleCode;
  /** `off`: reported only when the configuration turns it on */
  readonly severity: Severity | 'off';
  /** the severity once it is turned on, where that is not its own */
  readonly whenOn?: Severity;
  /** S: one file; G: the project; T: types (RULE-07) */
  readonly tier: 'S' | 'G' | 'T';
  /**
   * `part`: findings rest on modules, on what they import, and on what importers hand to them; the rule sees a few modules
   * at a time, and the others under `whole`. `project`: it compares modules that need not know each other. A rule that
   * takes facts is one of those. Default `part`.
   */
  readonly scope?: 'part' | 'project';
  readonly check: (project: Project, report: Report, facts: ProjectFacts) => void;
  /**
   * What `check` leaves open and types may tell, of a part as well. The questions of all rules are put together, since a
   * host may have to build its program anew for each time that it is asked; without a checker nobody answers them.
   */
  readonly questions?: (project: Project) => readonly TypeQuestion[];
  /** runs once all findings are known */
  readonly afterwards?: (suppressed: readonly Suppressed[], report: Report) => void;
}

export interface Rule extends RuleInput {
  readonly name: RuleName;
}

/** One rule: its code is its place in the catalogue, and its name comes from there. */
export function defineRule(input: RuleInput): Rule {
  return { ...input, name: RULES[input.code] };
}
