import { LIMITS } from '../../contract/limits.ts';
import { SKILL_FIELDS, SKILL_NAME_PATTERN } from '../../contract/names.ts';
import { SkillDefinitionValidationError, type SkillIssue } from './errors.ts';
import type { SkillDefinition } from './skill.ts';

/** Frozen definitions that passed; nothing about them can change, so a render need not look again. */
const validated = new WeakSet<object>();

/**
 * Checks a skill and returns it frozen, with copies of its files, so that a bad one fails when its module loads
 * (SKILL-01). Nothing is packaged before the skill is needed.
 *
 * @throws SkillDefinitionValidationError with every issue
 */
export function defineSkill(definition: SkillDefinition): SkillDefinition {
  validateSkill(definition);
  const { metadata, files } = definition;
  const defined = Object.freeze({
    ...definition,
    ...(metadata && { metadata: Object.freeze({ ...metadata }) }),
    ...(files && { files: Object.freeze(copied(files)) }),
  });
  validated.add(defined);
  return defined;
}

/** Whether `defineSkill()` made it, so that nothing about it can change. */
export function isDefinedSkill(definition: SkillDefinition): boolean {
  return validated.has(definition);
}

function copied(files: NonNullable<SkillDefinition['files']>): Record<string, string | Uint8Array> {
  const entries = Object.entries(files).map(([path, content]) => [
    path,
    typeof content === 'string' ? content : content.slice(),
  ]);
  return Object.fromEntries(entries);
}

export function validateSkill(definition: unknown): asserts definition is SkillDefinition {
  if (typeof definition !== 'object' || definition === null) {
    const message = `must be an object, not ${definition === null ? 'null' : typeof definition}`;
    throw new SkillDefinitionValidationError({ skill: undefined, issues: [{ path: [], message }] });
  }
  if (validated.has(definition)) return;
  const fields = definition as Readonly<Record<string, unknown>>;
  const issues = issuesOf(fields);
  if (issues.length === 0) return;
  const skill = typeof fields.name === 'string' && fields.name !== '' ? fields.name : undefined;
  throw new SkillDefinitionValidationError({ skill, issues });
}

function issuesOf(fields: Readonly<Record<string, unknown>>): SkillIssue[] {
  const unknown = Object.keys(fields).filter((field) => !(SKILL_FIELDS as readonly string[]).includes(field));
  return [
    ...issuesIn('name', nameProblem(fields.name)),
    ...issuesIn('description', textProblem(fields.description, LIMITS.skillDescriptionChars)),
    ...issuesIn('instructions', textProblem(fields.instructions)),
    ...issuesIn('license', optional(fields.license, stringProblem)),
    ...issuesIn(
      'compatibility',
      optional(fields.compatibility, (value) => stringProblem(value, LIMITS.skillCompatibilityChars)),
    ),
    ...issuesIn('allowedTools', optional(fields.allowedTools, stringProblem)),
    ...metadataIssues(fields.metadata),
    ...fileIssues(fields.files),
    ...unknown.map((field) => ({
      path: [field],
      message: `is not a field of a skill: it takes ${SKILL_FIELDS.join(', ')}`,
    })),
  ];
}

function issuesIn(field: string, message: string | undefined): SkillIssue[] {
  return message === undefined ? [] : [{ path: [field], message }];
}

function optional(value: unknown, problem: (value: unknown) => string | undefined): string | undefined {
  return value === undefined ? undefined : problem(value);
}

function nameProblem(value: unknown): string | undefined {
  const problem = textProblem(value, LIMITS.skillNameChars);
  if (problem || SKILL_NAME_PATTERN.test(value as string)) return problem;
  return 'must consist of lowercase letters and digits, with single hyphens between them';
}

function textProblem(value: unknown, limit?: number): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return 'must be a non-empty string';
  return stringProblem(value.trim(), limit);
}

/** Characters are code points: what an author counts. */
function stringProblem(value: unknown, limit = Number.POSITIVE_INFINITY): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  return [...value].length > limit ? `must have at most ${limit} characters` : undefined;
}

function metadataIssues(metadata: unknown): SkillIssue[] {
  if (metadata === undefined) return [];
  if (!isMap(metadata)) return issuesIn('metadata', 'must be an object of strings');
  return Object.entries(metadata)
    .filter(([, value]) => typeof value !== 'string')
    .map(([key]) => ({ path: ['metadata', key], message: 'must be a string' }));
}

function fileIssues(files: unknown): SkillIssue[] {
  if (files === undefined) return [];
  if (!isMap(files)) return issuesIn('files', 'must be an object of contents by path');
  return Object.entries(files).flatMap(([path, content]) => {
    const problem = isSafePath(path)
      ? typeof content === 'string' || content instanceof Uint8Array
        ? undefined
        : 'must be a string or a Uint8Array'
      : 'must be a relative path below the skill, other than SKILL.md';
    return problem === undefined ? [] : [{ path: ['files', path], message: problem }];
  });
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One spelling for each file, and none that leads out of the skill. */
function isSafePath(path: string): boolean {
  if (path === 'SKILL.md' || /^[A-Za-z]:|\\|\0/.test(path)) return false;
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}
