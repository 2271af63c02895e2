import { codeOf } from './codes.ts';
import { type ComposeOptions, compose } from './compose/compose.ts';
import { viewOf } from './compose/parts.ts';
import type { Part, Project } from './compose/project.ts';
import { compareDiagnostics, type Diagnostic, type Severity } from './diagnostic.ts';
import { type Found, foundAgain, type KeptFinding, keptFinding } from './kept-findings.ts';
import { spanOf } from './position.ts';
import type { Module, Suppression } from './program.ts';
import { type ProjectFacts, type Source, sourceOf } from './project-facts.ts';
import type { Finding, Rule, Suppressed, TypeQuestion } from './rules/define-rule.ts';
import { findMarkdownSuppressions } from './summarize/suppressions.ts';
import type { TypeGround } from './type-ground.ts';
import type { Types } from './types.ts';

export type ConfiguredSeverity = 'off' | 'hint' | 'info' | 'warn' | 'error';

export interface CheckOptions {
  /** by code or by name (RULE-32) */
  readonly severities?: Readonly<Record<string, ConfiguredSeverity>> | undefined;
  readonly profile?: 'default' | 'strict' | undefined;
  /** what the host knows beyond the modules; asked once, when it is known which they are */
  readonly facts?: ((modules: readonly Module[]) => ProjectFacts) | undefined;
  /** runs what a rule does, for hosts that measure it (PERF-17); it must call `run` once, at once */
  readonly aroundRule?: ((code: string, run: () => void) => void) | undefined;
}

/** A rule that broke; its findings are missing, everybody else's are not (RULE-05). */
export interface EngineFailure {
  readonly rule: string;
  readonly message: string;
  /** project path of the file that breaks it, where one does so by itself */
  readonly file?: string | undefined;
}

/** How rules are run: one that breaks is noted and ends nothing. */
interface Attempts {
  readonly failures: EngineFailure[];
  readonly around: (code: string, run: () => void) => void;
}

export interface CheckResult {
  readonly diagnostics: readonly Diagnostic[];
  readonly failures: readonly EngineFailure[];
}

/** A build stops at these whatever the configuration says (RULE-32). */
const BLOCKING = /^FLUE(?:1005|1006|1007|1009|110[1-6]|5001)$/;
/** What a comment cannot silence (RULE-31): broken files, suppressions themselves, and what concerns several files. */
const BEYOND_COMMENTS = /^FLUE(?:5001|5007|5008|1102|1103|1107)$/;
const MAX_RELATED = 8;

export function isBuildBlocking(diagnostic: Pick<Diagnostic, 'code' | 'severity'>): boolean {
  return diagnostic.severity === 'error' && BLOCKING.test(diagnostic.code);
}

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

interface Asked {
  readonly rule: Rule;
  readonly question: TypeQuestion;
}

/** Of which modules the rules ask types in a part; the questions themselves would keep a whole project alive. */
interface PartQuestions {
  readonly rules: string;
  readonly modules: readonly Module[];
}

/** What types said about a part, for as long as what they rest on is the same. */
interface PartAnswers {
  readonly questions: PartQuestions;
  readonly ground: TypeGround;
  readonly found: readonly Found[];
}

const partQuestions = new WeakMap<Part, PartQuestions>();
const partAnswers = new WeakMap<Part, PartAnswers>();

/** Puts the questions of all rules to the checker at once (RULE-07), but for those that were answered before (CACHE-03). */
function answeredByTypes(project: Project, rules: readonly Rule[], attempts: Attempts): readonly Found[] {
  const { types: openTypes, typeGrounds: grounds } = project;
  if (!openTypes) return [];
  const asking = project.parts
    .map((part) => ({ part, questions: questionsOfPart(project, part, rules, attempts) }))
    .filter(({ questions }) => questions.modules.length > 0);
  const isOpen = ({ part, questions }: (typeof asking)[number]) => {
    const known = partAnswers.get(part);
    return known?.questions !== questions || grounds?.holds(known.ground) !== true;
  };
  const candidates = asking.filter(isOpen);
  const underneath = new Map(
    candidates.map(({ part, questions }) => [part, grounds?.under(questions.modules)] as const),
  );
  // What is declared for all may change any answer, now and once it is gone.
  const isAmbient = [...underneath.values()].some((ground) => ground?.isAmbient);
  const open = isAmbient ? asking : candidates;
  const types = open.length > 0 ? openTypes(open.flatMap(({ questions }) => questions.modules)) : undefined;
  const answered = new Set(open.map(({ part }) => part));
  return asking.flatMap(({ part, questions }) => {
    if (!answered.has(part)) return partAnswers.get(part)!.found;
    if (!types) return [];
    const failed = attempts.failures.length;
    // Asked before, so that what broke was told then.
    const asked = questionsAbout(viewOf(project, part), rules, { ...attempts, failures: [] });
    const found = answersTo(asked, types, attempts);
    const ground = underneath.get(part);
    const isKept = ground && !isAmbient && attempts.failures.length === failed;
    if (isKept) partAnswers.set(part, { questions, ground, found });
    return found;
  });
}

function questionsOfPart(
  project: Project,
  part: Part,
  rules: readonly Rule[],
  attempts: Attempts,
): PartQuestions {
  const codes = rules.map(({ code }) => code).join();
  const known = partQuestions.get(part);
  if (known?.rules === codes) return known;
  const { partMemory, graph } = project;
  const before = attempts.failures.length;
  const kept = partMemory?.recall<readonly string[]>(part, `asks ${codes}`);
  const paths = kept ?? pathsOf(questionsAbout(viewOf(project, part), rules, attempts));
  const questions = { rules: codes, modules: paths.flatMap((path) => graph.modules.get(path) ?? []) };
  // A rule that broke says so every time.
  if (attempts.failures.length > before) return questions;
  partQuestions.set(part, questions);
  if (!kept) partMemory?.keep(part, `asks ${codes}`, paths);
  return questions;
}

/** Of the modules that questions are about. */
function pathsOf(asked: readonly Asked[]): string[] {
  const modules = asked.flatMap(({ question }) => [question.module, ...(question.also ?? [])]);
  return [...new Set(modules.map(({ path }) => path))];
}

function questionsAbout(view: Project, rules: readonly Rule[], attempts: Attempts): Asked[] {
  const asked: Asked[] = [];
  for (const rule of rules) {
    attempt(rule, attempts, () => {
      for (const question of rule.questions?.(view) ?? []) asked.push({ rule, question });
    });
  }
  return asked;
}

function answersTo(asked: readonly Asked[], types: Types, attempts: Attempts): Found[] {
  const found: Found[] = [];
  for (const { rule, question } of asked) {
    const answer = () => question.answer(types, (finding) => found.push({ rule, finding }));
    attempt(rule, attempts, answer, () => question.module.path);
  }
  return found;
}

/** A rule that takes facts compares them with the project, so it is about the whole. */
function isAboutProject(rule: Rule): boolean {
  return rule.scope === 'project' || rule.check.length > 2;
}

/** What was found in a part, for as long as the part is the same. */
const checkedParts = new WeakMap<Part, { readonly rules: string; readonly found: readonly Found[] }>();

/** What several parts say of one place is one finding: a helper is not wrong once per caller (RULE-27). */
function checkParts(project: Project, rules: readonly Rule[], attempts: Attempts): Found[] {
  const asked = rules.map(({ code }) => code).join();
  const all: Found[] = [];
  const seen = new Set<string>();
  for (const part of project.parts) {
    const found = checkPart(project, part, rules, asked, attempts);
    const isNew = found.map(({ rule, finding }) => !seen.has(placeOf(rule, finding)));
    all.push(...found.filter((_, index) => isNew[index]));
    for (const { rule, finding } of found) seen.add(placeOf(rule, finding));
  }
  return all;
}

function placeOf({ code }: Rule, { module, range }: Finding): string {
  return `${code} ${module.path} ${range.start} ${range.end}`;
}

function checkPart(
  project: Project,
  part: Part,
  rules: readonly Rule[],
  asked: string,
  attempts: Attempts,
): readonly Found[] {
  const known = checkedParts.get(part);
  if (known?.rules === asked) return known.found;
  const kept = recalled(project, part, rules, asked);
  if (kept) {
    checkedParts.set(part, { rules: asked, found: kept });
    return kept;
  }
  const found: Found[] = [];
  const view = viewOf(project, part);
  const before = attempts.failures.length;
  for (const rule of rules) {
    const run = () => rule.check(view, (finding) => found.push({ rule, finding }), {});
    attempt(rule, attempts, run, () => breakingFile(project, part.modules, rule, {}));
  }
  // A rule that broke says so every time.
  if (attempts.failures.length === before) {
    checkedParts.set(part, { rules: asked, found });
    project.partMemory?.keep(part, `found ${asked}`, found.map(keptFinding));
  }
  return found;
}

/** What an earlier run found in the same part. */
function recalled(
  { partMemory, graph }: Project,
  part: Part,
  rules: readonly Rule[],
  asked: string,
): readonly Found[] | undefined {
  const kept = partMemory?.recall<readonly KeptFinding[]>(part, `found ${asked}`);
  const found = kept?.map((each) => foundAgain(each, rules, graph));
  return found?.every((each) => each !== undefined) ? found : undefined;
}

function attempt(
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
function breakingFile(
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

function severityOf(rule: Rule, { severities, profile }: CheckOptions): Severity | 'off' {
  if (BLOCKING.test(rule.code)) return rule.severity;
  const configured = severities?.[rule.code] ?? severities?.[rule.name];
  if (configured !== undefined) return configured === 'warn' ? 'warning' : configured;
  if (rule.code === 'FLUE2203') return profile === 'strict' ? 'error' : 'off';
  return rule.severity;
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

/** The suppression comments of modules and of skills (RULE-30). */
function commentsOf(
  { modules }: Project,
  { skills = [] }: ProjectFacts,
): (readonly [Source, readonly Suppression[]])[] {
  return [
    ...modules.map((module) => [module, module.suppressions] as const),
    ...skills.map((skill) => [sourceOf(skill), findMarkdownSuppressions(skill.text)] as const),
  ];
}

/** Drop what comments suppress, and note which comments met nothing (RULE-30, RULE-31). */
function suppress(
  comments: readonly (readonly [Source, readonly Suppression[]])[],
  found: readonly Found[],
  rules: readonly Rule[],
  options: CheckOptions,
): { kept: Found[]; suppressed: Suppressed[] } {
  const byPath = new Map<string, Found[]>();
  const dropped = new Set<Finding>();
  const suppressed: Suppressed[] = [];
  for (const entry of found) {
    const { path } = entry.finding.module;
    const list = byPath.get(path);
    if (list) list.push(entry);
    else byPath.set(path, [entry]);
  }
  for (const [module, list] of comments)
    for (const comment of list) suppressed.push({ module, comment, unused: apply(comment, module) });
  return { kept: found.filter(({ finding }) => !dropped.has(finding)), suppressed };

  /** Gives the codes that match nothing. */
  function apply({ codes, reason, covers }: Suppression, { path }: Source): string[] {
    if (!reason) return [];
    return codes.flatMap(({ text }) => {
      const code = codeOf(text);
      const rule = rules.find((candidate) => candidate.code === code);
      if (!code || !rule) return [];
      const matching = (byPath.get(path) ?? []).filter(
        ({ rule, finding: { range } }) =>
          rule.code === code &&
          !BEYOND_COMMENTS.test(code) &&
          (covers === 'file' || (range.start >= covers.start && range.start < covers.end)),
      );
      for (const { finding } of matching) dropped.add(finding);
      return matching.length === 0 && severityOf(rule, options) !== 'off' ? [text] : [];
    });
  }
}
