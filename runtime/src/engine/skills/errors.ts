import type { RuleCode } from '../../contract/codes.ts';
import { FlueError } from '../../errors/flue-error.ts';

/** One complaint about a skill, in the shape of Standard Schema (CLS-01). */
export interface SkillIssue {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

/** A definition that no skill can be made of; `meta.issues` holds everything that is wrong with it (SKILL-02). */
export class SkillDefinitionValidationError extends FlueError {
  constructor(fault: { readonly skill: string | undefined; readonly issues: readonly SkillIssue[] }) {
    const complaints = fault.issues.map(({ path, message }) =>
      [path.join('.'), message].filter(Boolean).join(' '),
    );
    super({
      type: 'skill_definition_validation',
      message: `The skill ${fault.skill === undefined ? 'definition' : `"${fault.skill}"`} is invalid: ${complaints.join('; ')}.`,
      meta: { issues: fault.issues, rule: 'FLUE3201' satisfies RuleCode },
    });
  }
}
