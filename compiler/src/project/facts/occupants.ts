import { join, relative, sep } from 'node:path';
import type { FlueProject } from '@flue/runtime/config';
import { findDirective } from '../../analysis/find.ts';
import type { ProjectFile } from '../../analysis/project-facts.ts';
import { NOTICE_PATTERN } from '../../emit/compiler-version.ts';
import { existsSync, readdirSync, readFileSync } from '../disk.ts';

const MODULE = /(?<!\.d)\.[cm]?[jt]sx?$/;
const ENTRY = /^(?:app|db|cloudflare|setup)\.m?[jt]s$/;

/** Entries and marked files in the generated folder that do not say that we wrote them (CFG-07). */
export function occupantsOf({ root, generatedDir }: FlueProject): ProjectFile[] {
  if (!existsSync(generatedDir)) return [];
  const found: ProjectFile[] = [];
  const visit = (directory: string) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const file = join(directory, entry.name);
      if (entry.isDirectory() && entry.name !== 'cache' && entry.name !== 'node_modules') visit(file);
      if (!entry.isFile() || !MODULE.test(entry.name)) continue;
      const text = readFileSync(file, 'utf8');
      if (NOTICE_PATTERN.test(text.slice(0, 200))) continue;
      const isEntry = directory === generatedDir && ENTRY.test(entry.name);
      if (isEntry || findDirective(text))
        found.push({ path: relative(root, file).split(sep).join('/'), text });
    }
  };
  visit(generatedDir);
  return found;
}
