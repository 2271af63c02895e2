import { viewOf } from '../compose/parts.ts';
import type { Part, Project } from '../compose/project.ts';
import type { Module } from '../program.ts';
import type { Rule, TypeQuestion } from '../rules/define-rule.ts';
import type { TypeGround } from '../type-ground.ts';
import type { Types } from '../types.ts';
import { type Attempts, attempt } from './attempts.ts';
import type { Found } from './kept-findings.ts';

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
export function answeredByTypes(
  project: Project,
  rules: readonly Rule[],
  attempts: Attempts,
): readonly Found[] {
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
