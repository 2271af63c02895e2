import { codeOf } from '../codes.ts';
import type { Project } from '../compose/project.ts';
import type { Suppression } from '../program.ts';
import { type ProjectFacts, type Source, sourceOf } from '../project-facts.ts';
import type { Finding, Rule, Suppressed } from '../rules/define-rule.ts';
import { findMarkdownSuppressions } from '../summarize/suppressions.ts';
import type { Found } from './kept-findings.ts';
import { type Severities, severityOf } from './severities.ts';

/** What a comment cannot silence (RULE-31): broken files, suppressions themselves, and what concerns several files. */
const BEYOND_COMMENTS = /^FLUE(?:5001|5007|5008|1102|1103|1107)$/;

/** The suppression comments of modules and of skills (RULE-30). */
export function commentsOf(
  { modules }: Project,
  { skills = [] }: ProjectFacts,
): (readonly [Source, readonly Suppression[]])[] {
  return [
    ...modules.map((module) => [module, module.suppressions] as const),
    ...skills.map((skill) => [sourceOf(skill), findMarkdownSuppressions(skill.text)] as const),
  ];
}

/** Drop what comments suppress, and note which comments met nothing (RULE-30, RULE-31). */
export function suppress(
  comments: readonly (readonly [Source, readonly Suppression[]])[],
  found: readonly Found[],
  rules: readonly Rule[],
  options: Severities,
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
