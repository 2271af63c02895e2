import { misuse } from '../../errors/flue-error.ts';
import { idOf, type PackagedSkill } from './package-skill.ts';
import type { SkillReference } from './skill.ts';

/** A skill directory as a build read it. */
export interface SkillDirectory {
  readonly name: string;
  readonly description: string;
  /** the body of its `SKILL.md` */
  readonly instructions: string;
  /** every file by relative path, `SKILL.md` among them: text as a string, any other bytes as base64 */
  readonly files: Readonly<Record<string, string | { readonly base64: string }>>;
}

/**
 * Packages by their references, kept on the global object: a bundle and the packages beside it may hold a copy of this
 * module each, and a reference of one must be known to the other.
 */
const KEY = Symbol.for('@flue/runtime.packagedSkills');
const holder = globalThis as { [KEY]?: WeakMap<SkillReference, PackagedSkill> };

export function packageOf(reference: SkillReference): PackagedSkill | undefined {
  return holder[KEY]?.get(reference);
}

/** For generated code only: what the import of a `SKILL.md` evaluates to (SKILL-10). */
export function __fluePackageSkill(directory: SkillDirectory): SkillReference {
  const { name, description, instructions } = directory;
  const files = new Map<string, string | Uint8Array>();
  for (const [path, content] of Object.entries(directory.files))
    files.set(path, typeof content === 'string' ? content : Buffer.from(content.base64, 'base64'));
  if (!files.has('SKILL.md')) throw misuse(`the package of the skill "${name}" holds no SKILL.md.`);
  const id = idOf(name, files);
  files.delete('SKILL.md');
  const reference: SkillReference = Object.freeze({ __flueSkillReference: true, id, name, description });
  holder[KEY] ??= new WeakMap();
  holder[KEY].set(reference, { id, name, instructions, files });
  return reference;
}
