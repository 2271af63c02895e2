import { type ComposeOptions, compose } from '../compose/compose.ts';
import type { Project } from '../compose/project.ts';
import { compareDiagnostics, type Diagnostic, type Severity } from '../diagnostic.ts';
import { spanOf } from '../position.ts';
import type { Module } from '../program.ts';
import type { ProjectFacts } from '../project-facts.ts';
import type { Finding, Rule } from '../rules/define-rule.ts';
import { answeredByTypes } from './ask-types.ts';
import { type Attempts, attempt, breakingFile, type EngineFailure } from './attempts.ts';
import { checkParts } from './check-parts.ts';
import type { Found } from './kept-findings.ts';
import { type Severities, severityOf } from './severities.ts';
import { commentsOf, suppress } from './suppress.ts';

export interface CheckOptions extends Severities {
  /** what the host knows beyond the modules; asked once, when it is known which they are */
  readonly facts?: ((modules: readonly Module[]) => ProjectFacts) | undefined;
  /** runs what a rule does, for hosts that measure it (PERF-17); it must call `run` once, at once */
  readonly aroundRule?: ((code: string, run: () => void) => void) | undefined;
}

export interface CheckResult {
  readonly diagnostics: readonly Diagnostic[];
  readonly failures: readonly EngineFailure[];
}

const MAX_RELATED = 8;

/** The one call behind CLI, editor, bundler and LSP (RULE-01). */
export function check(
  modules: readonly Module[],
  rules: readonly Rule[],
  options: CheckOptions & ComposeOptions = {},
): CheckResult {
  return checkProject(compose(modules, options), rules, options);
}

export function checkProject(
  project: Project,
  rules: readonly Rule[],
  options: CheckOptions = {},
): CheckResult {
  const failures: EngineFailure[] = [];
  const attempts: Attempts = { failures, around: options.aroundRule ?? ((_, run) => run()) };
  const running = rules.filter((rule) => severityOf(rule, options) !== 'off');
  const facts = options.facts?.(project.modules) ?? {};
  const ofParts = running.filter((rule) => !isAboutProject(rule));
  const found: Found[] = [...checkParts(project, ofParts, attempts)];
  for (const rule of running.filter(isAboutProject)) {
    const run = () => rule.check(project, (finding) => found.push({ rule, finding }), facts);
    attempt(rule, attempts, run, () => breakingFile(project, project.modules, rule, facts));
  }
  found.push(...answeredByTypes(project, ofParts, attempts));
  const { kept, suppressed } = suppress(commentsOf(project, facts), found, rules, options);
  for (const rule of rules) {
    if (!rule.afterwards || severityOf(rule, options) === 'off') continue;
    attempt(rule, attempts, () => rule.afterwards!(suppressed, (finding) => kept.push({ rule, finding })));
  }
  const diagnostics = kept
    .map(({ rule, finding }) => toDiagnostic(rule, finding, options))
    .sort(compareDiagnostics);
  return { diagnostics: withoutRepeats(diagnostics), failures };
}

/** A rule that takes facts compares them with the project, so it is about the whole. */
function isAboutProject(rule: Rule): boolean {
  return rule.scope === 'project' || rule.check.length > 2;
}

/** A configured severity replaces the rule's own; without one, what the finding says of itself counts. */
function toDiagnostic(rule: Rule, finding: Finding, options: CheckOptions): Diagnostic {
  const effective = severityOf(rule, options);
  const isDefault = effective === rule.severity;
  const severity = (isDefault ? (finding.severity ?? effective) : effective) as Severity;
  const { module, range, message } = finding;
  return {
    code: rule.code,
    name: rule.name,
    severity,
    message,
    span: spanOf(module, range),
    related: (finding.related ?? [])
      .slice(0, MAX_RELATED)
      .map((place) => ({ message: place.message, span: spanOf(place.module, place.range) })),
    fixes: (finding.fixes ?? []).map(({ title, safe, edits }) => ({
      title,
      safe,
      edits: edits.map((edit) => ({ path: module.path, ...edit })),
    })),
  };
}

function withoutRepeats(sorted: readonly Diagnostic[]): Diagnostic[] {
  return sorted.filter((diagnostic, index) => {
    const before = sorted[index - 1];
    return !before || compareDiagnostics(before, diagnostic) !== 0;
  });
}
