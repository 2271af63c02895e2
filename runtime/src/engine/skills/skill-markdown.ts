import { LIMITS } from '../../contract/limits.ts';
import { SKILL_NAME_PATTERN } from '../../contract/names.ts';

/** A `SKILL.md`, read. */
export interface SkillMarkdown {
  readonly name: string;
  readonly description: string;
  /** what follows the front matter, trimmed */
  readonly instructions: string;
}

const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\r?\n|$)/;

/**
 * Reads a `SKILL.md` that stands in a directory of the skill's name (SKILL-12).
 *
 * @throws Error naming the field and what is wrong with it
 */
export async function readSkillMarkdown(text: string, directory: string): Promise<SkillMarkdown> {
  const block = FRONT_MATTER.exec(text);
  if (!block) throw new Error('it does not start with front matter between two lines of "---"');
  // Loaded with the first skill of a workspace, which few have.
  const { parse } = await import('yaml');
  const fields: unknown = parse(block[1] ?? '', {
    schema: 'failsafe',
    logLevel: 'silent',
    prettyErrors: false,
  });
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw new Error('its front matter is no mapping of fields');
  }
  const { name, description } = fields as Record<string, unknown>;
  if (typeof name !== 'string' || !SKILL_NAME_PATTERN.test(name) || name.length > LIMITS.skillNameChars) {
    throw new Error('its `name` is missing or no name of a skill');
  }
  if (name !== directory) throw new Error(`its \`name\` is "${name}", and its directory "${directory}"`);
  if (typeof description !== 'string' || description.trim() === '') {
    throw new Error('its `description` is missing');
  }
  if (description.length > LIMITS.skillDescriptionChars) {
    throw new Error(`its \`description\` is longer than ${LIMITS.skillDescriptionChars} characters`);
  }
  const instructions = text.slice(block[0].length).trim();
  if (instructions === '') throw new Error('it holds no instructions');
  return { name, description: description.trim(), instructions };
}
