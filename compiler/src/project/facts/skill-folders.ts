import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Module } from '../../analysis/program.ts';
import type { SkillEntry, SkillFolder } from '../../analysis/project-facts.ts';
import { lstatSync, readdirSync } from '../disk.ts';
import { readSkillMarkdown } from '../skill-markdown.ts';
import { readSourceText } from '../source-text.ts';

/** What packaging leaves out by itself (SKILL-13). */
const SKIPPED = /^(?:\.git|\.cache|\.turbo|\.wrangler|dist|node_modules|\.DS_Store)$|\.sw[po]$|~$/;

const skillsOf = new WeakMap<Module, readonly string[]>();

/** The folders of the skills that some module imports. */
export function skillFolders(root: string, modules: readonly Module[]): SkillFolder[] {
  const paths = new Set<string>();
  for (const module of modules) {
    const known = skillsOf.get(module) ?? importedSkills(module);
    skillsOf.set(module, known);
    for (const path of known) paths.add(path);
  }
  return [...paths].flatMap((path) => skillFolder(root, path) ?? []);
}

function importedSkills({ imports, resolutions }: Module): string[] {
  return imports.flatMap(({ specifier, typeOnly }) => {
    const resolution = typeOnly || specifier.includes('?') ? undefined : resolutions[specifier];
    const path = resolution?.kind === 'asset' ? resolution.path : undefined;
    return path !== undefined && /(?:^|\/)SKILL\.md$/.test(path) ? [path] : [];
  });
}

/** The folder of one skill, by the project path of its `SKILL.md`; `undefined` when there is no such file. */
export function skillFolder(root: string, path: string): SkillFolder | undefined {
  const file = resolve(root, path);
  const source = readSourceText(file);
  if (source === undefined) return undefined;
  const { text } = source;
  return { path, text, markdown: readSkillMarkdown(text), entries: entriesBelow(dirname(file)) };
}

function entriesBelow(folder: string): SkillEntry[] {
  const entries: SkillEntry[] = [];
  const visit = (directory: string) => {
    for (const name of readdirSync(directory).sort()) {
      if (SKIPPED.test(name)) continue;
      const file = join(directory, name);
      const stats = lstatSync(file);
      const kind = stats.isSymbolicLink() ? 'link' : stats.isDirectory() ? 'directory' : 'file';
      entries.push({ path: relative(folder, file).split(sep).join('/'), kind, size: stats.size });
      if (kind === 'directory') visit(file);
    }
  };
  visit(folder);
  return entries;
}
