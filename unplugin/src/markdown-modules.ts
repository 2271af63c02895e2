import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type PackagedSkill, readPackagedSkill } from '@flue/compiler';
import { SKILL_SUPPORT } from './virtual-modules.ts';

/** Whether an import of this file is ours: queries such as `?raw` stay with the bundler (SKILL-10). */
export function isMarkdown(id: string): boolean {
  return id.endsWith('.md') && !id.startsWith('\0');
}

export function isSkill(id: string): boolean {
  return /[\\/]SKILL\.md$/.test(id);
}

export interface MarkdownModule {
  readonly code: string;
  /** the files that it is made of */
  readonly files: readonly string[];
}

/** What the import of a Markdown file evaluates to: a skill's reference, or any other file's text (SKILL-10). */
export function markdownModule(file: string, root: string): MarkdownModule | { readonly problem: string } {
  if (!isSkill(file))
    return { code: `export default ${literal(readFileSync(file, 'utf8'))};\n`, files: [file] };
  const skill = readPackagedSkill(root, file);
  if (!skill) return { problem: `${file} is no skill: its front matter needs a name and a description.` };
  return {
    code: skillModule(skill),
    files: skill.files.map(({ path }) => join(dirname(file), path)),
  };
}

function skillModule({ name, description, instructions, files }: PackagedSkill): string {
  const contents = Object.fromEntries(files.map(({ path, content }) => [path, textOrBase64(content)]));
  const directory = literal({ name, description, instructions, files: contents });
  return [
    `import { __fluePackageSkill } from '${SKILL_SUPPORT}';`,
    `export default /* @__PURE__ */ __fluePackageSkill(${directory});`,
    '',
  ].join('\n');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOrBase64(content: Uint8Array): string | { readonly base64: string } {
  try {
    const text = utf8.decode(content);
    if (!text.includes('\0')) return text;
  } catch {
    // No text.
  }
  return { base64: Buffer.from(content).toString('base64') };
}

/** JSON is JavaScript but for a key `__proto__`, which would set what it is named after. */
function literal(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes('"__proto__":') ? `JSON.parse(${JSON.stringify(json)})` : json;
}
