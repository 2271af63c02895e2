import { misuse } from '../../errors/flue-error.ts';
import { validateSkill } from './define-skill.ts';
import { type PackagedSkill, packageSkill } from './package-skill.ts';
import { packageOf } from './packaged-skills.ts';
import type { Skill, SkillReference } from './skill.ts';

/** A skill of one render: its catalog line, and the rest for whoever activates it (SKILL-06). */
export interface MountedSkill {
  readonly name: string;
  readonly description: string;
  readonly hasFiles: boolean;
  /** packages the skill at the first call; a skill of the workspace is none that the application carries */
  package?(): PackagedSkill;
  /** of a skill of the workspace: reads what the model is told when it activates it, as the file is then (SKILL-30) */
  read?(): Promise<WorkspaceSkill>;
}

/** A skill as a workspace holds it, its files beside it. */
export interface WorkspaceSkill {
  readonly name: string;
  readonly instructions: string;
  /** absolute path of its directory */
  readonly directory: string;
}

/** @throws SkillDefinitionValidationError; Error for a reference without its packaged files (SKILL-05) */
export function mountSkill(skill: Skill): MountedSkill {
  if (isReference(skill)) return mountReference(skill);
  validateSkill(skill);
  const { name, description, files = {} } = skill;
  return {
    name,
    description: description.trim(),
    hasFiles: Object.keys(files).length > 0,
    package: () => packageSkill(skill),
  };
}

function isReference(skill: unknown): skill is SkillReference {
  return (
    typeof skill === 'object' &&
    skill !== null &&
    (skill as { __flueSkillReference?: unknown }).__flueSkillReference === true
  );
}

function mountReference(reference: SkillReference): MountedSkill {
  const skill = packageOf(reference);
  if (!skill) {
    throw misuse(
      `useSkill(): the reference to the skill "${String(reference.name)}" has no packaged files. Mount the default ` +
        'import of its SKILL.md itself: a copy of it, or an object written by hand, carries none.',
      'FLUE2402',
    );
  }
  const { name, description } = reference;
  return { name, description, hasFiles: skill.files.size > 0, package: () => skill };
}
