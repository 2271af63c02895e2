import type { Range } from '../../program.ts';
import { type SkillField, type SkillMarkdown, sourceOf } from '../../project-facts.ts';
import { defineRule } from '../define-rule.ts';
import { skillFieldProblem } from '../skill-fields.ts';
import { importOfSkill } from '../skill-imports.ts';

const REQUIRED = ['name', 'description'];
const TEXTS = [...REQUIRED, 'license', 'compatibility', 'allowed-tools'];

interface Fault {
  readonly field: string;
  readonly problem: string;
  readonly range: Range;
}

/** An imported `SKILL.md` that packaging refuses (SKILL-12). */
export default defineRule({
  code: 'FLUE3202',
  severity: 'error',
  tier: 'G',
  check(project, report, { skills = [] }) {
    for (const skill of skills) {
      const place = importOfSkill(project, skill.path);
      if (!place) continue;
      const related = { ...place, message: 'The skill is imported here.' };
      for (const { field, problem, range } of faultsOf(skill.markdown, skill.path.split('/').at(-2))) {
        const message = `SKILL.md: ${field} ${problem}.`;
        report({ module: sourceOf(skill), range, message, related: [related] });
      }
    }
  },
});

function faultsOf(markdown: SkillMarkdown, folder: string | undefined): Fault[] {
  if ('problem' in markdown)
    return [{ field: 'the front matter', problem: markdown.problem, range: markdown.range }];
  const { fields, body } = markdown;
  const opening = { start: 0, end: 3 };
  const missing = REQUIRED.filter((name) => !fields.some((field) => field.name === name));
  return [
    ...missing.map((field) => ({ field, problem: 'is missing', range: opening })),
    ...fields.flatMap((field) => {
      const problem = problemOf(field, folder);
      return problem === undefined ? [] : [{ field: field.name, problem, range: field.range }];
    }),
    ...(body.text === ''
      ? [{ field: 'the body', problem: 'is empty', range: { start: body.start, end: body.start } }]
      : []),
  ];
}

/** Fields that packaging does not know are nobody's fault (FLUE3202.n1). */
function problemOf({ name, value }: SkillField, folder: string | undefined): string | undefined {
  if (name === 'metadata') {
    return typeof value === 'object' || value === '' ? undefined : 'must be a map of strings';
  }
  if (!TEXTS.includes(name)) return undefined;
  if (typeof value !== 'string') return 'must be a string';
  if (value.trim() === '' && REQUIRED.includes(name)) return 'must not be blank';
  const problem = skillFieldProblem[name]?.(value);
  if (problem !== undefined || name !== 'name' || folder === undefined || value === folder) return problem;
  return `must be that of its directory, "${folder}"`;
}
