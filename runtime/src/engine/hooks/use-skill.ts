import { mountSkill } from '../skills/mounted-skill.ts';
import type { Skill } from '../skills/skill.ts';
import { claim, frameOf } from './frame.ts';

/**
 * Offers a skill to the model calls that follow this render; a render that skips it takes it away (MOUNT-02). The model
 * sees one catalog line, and the instructions once it activates the skill (SKILL-06). Takes the import of a `SKILL.md`,
 * a `defineSkill()` result, or the same object inline, with the same checks (SKILL-05).
 *
 * @throws SkillDefinitionValidationError for a bad definition; Error for a name that this render has mounted already
 */
export function useSkill(skill: Skill): void {
  const frame = frameOf('useSkill');
  const mounted = mountSkill(skill);
  claim(frame, 'useSkill', mounted.name);
  frame.skills.push(mounted);
}
