/** A skill declared in code: what a skill directory holds, as an object (SKILL-02). */
export interface SkillDefinition {
  /** lowercase letters, digits and single hyphens, at most 64 characters */
  readonly name: string;
  /** the catalog line: what the skill does and when to use it; at most 1024 characters */
  readonly description: string;
  /** what the model reads once it activates the skill */
  readonly instructions: string;
  readonly license?: string;
  /** what the skill needs of its surroundings; at most 500 characters */
  readonly compatibility?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** names separated by spaces; recorded, not enforced */
  readonly allowedTools?: string;
  /** supporting files by path relative to the skill; never `SKILL.md` */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
}

/** What the import of a `SKILL.md` gives. Its files are packaged with the application. */
export interface SkillReference {
  readonly __flueSkillReference: true;
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** Whatever `useSkill()` takes (SKILL-05). */
export type Skill = SkillReference | SkillDefinition;
