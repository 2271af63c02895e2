import type { Dirent } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { FlueProject } from '@flue/runtime/config';
import { findDirective } from '../../analysis/find.ts';
import type { UnscannedFile } from '../../analysis/project-facts.ts';
import { readdirSync } from '../disk.ts';
import type { DiskHost } from '../disk-host.ts';
import { PROJECT_MARKERS } from '../find-root.ts';
import { globMatcher } from '../glob.ts';
import { readCandidate } from '../source-text.ts';

const MODULE = /(?<!\.d)\.[cm]?[jt]sx?$/;
const SCANNED = /\.(?:ts|mts|js|mjs)$/;
const AUTHORED = /\.[cm]?tsx?$/;
/** Where builds and tools leave their own output: what is marked there is a copy. */
const OUTPUT = /^(?:dist|output|build|out|coverage|node_modules)$/;
const STARTS = /@flue\/runtime\/node[\s\S]*\bstart\s*\(/;
const IMPORTED = /\bfrom\s*(['"])([^'"\n]+)\1/g;

/** Marked files of the project that its scan does not see, with the reason (FLUE1013). */
export function findUnscanned(
  project: FlueProject,
  host: DiskHost,
  scanned: ReadonlySet<string>,
): UnscannedFile[] {
  const { root, sourceRoot } = project;
  // Everything here lies below the root, and every file of the project comes by at every check.
  const toPath = (file: string) =>
    file
      .slice(root.length + 1)
      .split(sep)
      .join('/');
  const marked = new Map<string, { readonly text: string; readonly reason: string }>();
  const started = new Set<string>();
  const isInside = (file: string) => file.startsWith(sourceRoot + sep);

  const look = (file: string, inOutput: boolean) => {
    const path = toPath(file);
    if (scanned.has(path) || (inOutput && !AUTHORED.test(file))) return;
    const text = readCandidate(file)?.text;
    if (text === undefined) return;
    if (findDirective(text)) marked.set(path, { text, reason: whyUnseen(project, file) });
    if (!STARTS.test(text)) return;
    for (const [, , specifier = ''] of text.matchAll(IMPORTED)) {
      const resolution = host.resolve(specifier, path);
      if (resolution.kind === 'project') started.add(resolution.path);
    }
  };
  const visit = (directory: string, inOutput: boolean) => {
    if (directory === project.generatedDir) return;
    const entries = entriesOf(directory);
    if (directory !== root && entries.some(({ name }) => PROJECT_MARKERS.includes(name))) return;
    for (const entry of entries) {
      const path = join(directory, entry.name);
      if (entry.isFile() && MODULE.test(entry.name)) look(path, inOutput);
      if (!entry.isDirectory() || entry.name === 'node_modules' || entry.name === '.git') continue;
      const isOutput = OUTPUT.test(entry.name) || entry.name.startsWith('.');
      // The source root may itself lie in such a folder, as `.flue` does.
      const leadsToSources = path === sourceRoot || sourceRoot.startsWith(path + sep);
      if (!isOutput || isInside(path) || leadsToSources)
        visit(path, inOutput || (isOutput && isInside(path)));
    }
  };
  visit(root, false);
  return [...marked].map(([path, { text, reason }]) => ({ path, text, reason, started: started.has(path) }));
}

function whyUnseen({ root, sourceRoot, config }: FlueProject, file: string): string {
  const shown = (path: string) => relative(root, path).split(sep).join('/');
  const inside = relative(sourceRoot, file).split(sep).join('/');
  if (inside.startsWith('../')) return `it lies outside the source root ${shown(sourceRoot)}`;
  if (!SCANNED.test(file)) return `its extension .${file.split('.').at(-1)} is not scanned`;
  if (config.agents !== undefined && !globMatcher(config.agents)(inside))
    return 'it is outside the configured agents glob';
  return 'its directory is excluded';
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return []; // What cannot be listed holds no module of ours.
  }
}
