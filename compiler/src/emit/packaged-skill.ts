import { createHash } from 'node:crypto';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { compareCodeUnits, skillId } from '@flue/runtime/internal';
import type { SkillFolder } from '../analysis/project-facts.ts';
import { readFileSync } from '../project/disk.ts';
import { skillFolder } from '../project/facts/skill-folders.ts';

/** A skill directory as an application carries it (SKILL-10). */
export interface PackagedSkill {
  /** project path of its `SKILL.md` */
  readonly module: string;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** the body of its `SKILL.md` */
  readonly instructions: string;
  /** ascending by path, relative to the directory; `SKILL.md` is one of them */
  readonly files: readonly { readonly path: string; readonly content: Uint8Array; readonly hash: string }[];
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** `undefined` for a directory whose `SKILL.md` is none (FLUE3202). */
export function packageSkill(
  root: string,
  { path, markdown, entries }: SkillFolder,
): PackagedSkill | undefined {
  if ('problem' in markdown) return undefined;
  const field = (name: string) => {
    const value = markdown.fields.find((each) => each.name === name)?.value;
    return typeof value === 'string' ? value.trim() : '';
  };
  const name = field('name');
  const description = field('description');
  if (name === '' || description === '') return undefined;
  const directory = dirname(resolve(root, path));
  const files = entries
    .filter(({ kind }) => kind === 'file')
    .map((entry) => {
      const content = portable(readFileSync(join(directory, entry.path)));
      return { path: entry.path, content, hash: `sha256:${sha256(content)}` };
    })
    .sort((a, b) => compareCodeUnits(a.path, b.path));
  const contents = new Map(files.map((file) => [file.path, file.content]));
  const instructions = markdown.body.text;
  return { module: path, id: skillId(name, contents, sha256), name, description, instructions, files };
}

/** The skill of a `SKILL.md` that a bundler asks for by its file. */
export function readPackagedSkill(root: string, file: string): PackagedSkill | undefined {
  const folder = skillFolder(root, relative(root, file).split(sep).join('/'));
  return folder && packageSkill(root, folder);
}

/** Text has no byte-order mark and ends its lines alike on every machine, so that its skill has one id (DET-05). */
function portable(bytes: Uint8Array): Uint8Array {
  if (bytes.includes(0)) return bytes;
  try {
    return new TextEncoder().encode(utf8.decode(bytes).replace(/\r\n?/g, '\n'));
  } catch {
    return bytes;
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
