import { createHash } from 'node:crypto';
import { skillId } from '../../contract/skill-id.ts';
import { isDefinedSkill } from './define-skill.ts';
import type { SkillDefinition } from './skill.ts';

/** A skill as an application carries it: what the model reads on activation, and the files beside it. */
export interface PackagedSkill {
  /** `skill:<name>:<16 hex digits of its content>` (SKILL-04) */
  readonly id: string;
  readonly name: string;
  readonly instructions: string;
  /** by relative path, without `SKILL.md` */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
}

const packaged = new WeakMap<SkillDefinition, PackagedSkill>();

/** Packages a definition when it is first needed, in the form that a skill directory would give (SKILL-01). */
export function packageSkill(definition: SkillDefinition): PackagedSkill {
  let skill = packaged.get(definition);
  if (!skill) {
    const { name, instructions } = definition;
    const files = new Map(Object.entries(definition.files ?? {}));
    skill = {
      id: idOf(name, new Map([...files, ['SKILL.md', document(definition)]])),
      name,
      instructions,
      files,
    };
    // Any other object may say something else the next time.
    if (isDefinedSkill(definition)) packaged.set(definition, skill);
  }
  return skill;
}

/** `files` includes `SKILL.md` (SKILL-04). */
export function idOf(name: string, files: ReadonlyMap<string, string | Uint8Array>): string {
  return skillId(name, files, (bytes) => createHash('sha256').update(bytes).digest('hex'));
}

/** The `SKILL.md` of a definition. JSON texts are YAML scalars, so whatever they hold needs no further quoting. */
function document(definition: SkillDefinition): string {
  const { name, description, license, compatibility, metadata, allowedTools, instructions } = definition;
  const lines = Object.entries({ name, description, license, compatibility, 'allowed-tools': allowedTools })
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `${field}: ${JSON.stringify(value)}`);
  const entries = Object.entries(metadata ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length > 0) lines.push('metadata:');
  for (const [key, value] of entries) lines.push(`  ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return ['---', ...lines, '---', instructions.trim(), ''].join('\n');
}
