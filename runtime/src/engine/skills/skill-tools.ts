import * as v from 'valibot';
import { ToolContent } from '../tools/tool-content.ts';
import type { ToolDefinition } from '../tools/tool-definition.ts';
import type { MountedSkill, WorkspaceSkill } from './mounted-skill.ts';
import type { PackagedSkill } from './package-skill.ts';
import { PACKAGED_ROOT } from './packaged-path.ts';
import { pageText } from './page-text.ts';

/** The framework's tools for the skills of one render: none without skills (NAME-01). */
export function skillTools(skills: readonly MountedSkill[]): ToolDefinition[] {
  if (skills.length === 0) return [];
  const withFiles = skills.filter((skill) => skill.hasFiles);
  return withFiles.length === 0 ? [activateSkill(skills)] : [activateSkill(skills), readResource(withFiles)];
}

const ACTIVATION = v.strictObject({ name: v.pipe(v.string(), v.description('Name of an available skill.')) });

function activateSkill(skills: readonly MountedSkill[]): ToolDefinition<typeof ACTIVATION> {
  return {
    name: 'activate_skill',
    description: 'Loads the instructions of a skill. Call it before work that an available skill is for.',
    input: ACTIVATION,
    async run({ data: { name } }) {
      const skill = skills.find((candidate) => candidate.name === name);
      if (!skill) return ToolContent.text(unknownSkill(name, skills));
      if (skill.read) return ToolContent.text(workspaceBriefing(await skill.read()));
      return ToolContent.text(briefing(skill.package!()));
    },
  };
}

function unknownSkill(name: string, skills: readonly MountedSkill[]): string {
  return `There is no skill "${name}". Available skills: ${skills.map((skill) => skill.name).join(', ')}.`;
}

function briefing(skill: PackagedSkill): string {
  const blocks = [`Skill: ${skill.name}`, block('skill_instructions', skill.instructions.trim())];
  const resources = [...skill.files.keys()].map((path) => `- ${path}: ${resourcePath(skill, path)}`);
  if (resources.length > 0) blocks.push(block('skill_resources', resources.join('\n')));
  return blocks.join('\n');
}

/** Its files are ordinary ones, so the model reads them itself (SKILL-30). */
function workspaceBriefing({ name, instructions, directory }: WorkspaceSkill): string {
  return [
    `Skill: ${name}`,
    `Base directory: ${directory} (relative paths in the instructions start there)`,
    block('skill_instructions', instructions),
  ].join('\n');
}

function block(tag: string, body: string): string {
  return `<${tag}>\n${body}\n</${tag}>`;
}

const lineNumber = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)));
const RESOURCE = v.strictObject({
  path: v.pipe(v.string(), v.description('Path of the resource, as its skill lists it.')),
  offset: v.pipe(lineNumber, v.description('First line to show, from 1.')),
  limit: v.pipe(lineNumber, v.description('The most lines to show.')),
});

function readResource(skills: readonly MountedSkill[]): ToolDefinition<typeof RESOURCE> {
  return {
    name: 'read_skill_resource',
    description: 'Reads a file that an activated skill lists among its resources.',
    input: RESOURCE,
    run: ({ data: { path, ...page } }) => ToolContent.text(pageText(packagedText(path, skills), page)),
  };
}

function resourcePath(skill: PackagedSkill, file: string): string {
  return `${PACKAGED_ROOT}${encodeURIComponent(skill.id)}/${file}`;
}

/** A packaged file as text. Throws for a path that is none, listing those that are (SKILL-22, SKILL-23). */
export function packagedText(path: string, skills: readonly MountedSkill[]): string {
  return textOf(resourceAt(path, skills));
}

/** The path as it was listed, or with the skill's id spelled plainly (SKILL-22). */
function resourceAt(path: string, skills: readonly MountedSkill[]): string | Uint8Array {
  const packages = skills.flatMap((skill) => skill.package?.() ?? []);
  for (const skill of packages) {
    for (const [file, content] of skill.files)
      if (path === resourcePath(skill, file) || path === `${PACKAGED_ROOT}${skill.id}/${file}`)
        return content;
  }
  const valid = packages.flatMap((skill) => [...skill.files.keys()].map((file) => resourcePath(skill, file)));
  throw new Error(`There is no skill resource "${path}". Resources: ${valid.join(', ')}.`);
}

/** Bytes that are no text come as base64 in lines of 76 characters. */
function textOf(content: string | Uint8Array): string {
  if (typeof content === 'string') return content;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    if (!text.includes('\0')) return text;
  } catch {
    // Not UTF-8.
  }
  return Buffer.from(content)
    .toString('base64')
    .replace(/.{76}(?=.)/g, '$&\n');
}
