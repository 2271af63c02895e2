import type { Project } from '../../compose/project.ts';
import type { Module, Range } from '../../program.ts';
import { defineRule } from '../define-rule.ts';

/** A file that the analysis reads, and where a finding about it sits: in it, or at an import of what is no module. */
interface Entry {
  readonly path: string;
  readonly module: Module;
  readonly range: Range;
}

/** Two entries that are one on a file system without case (DET-07). */
export default defineRule({
  code: 'FLUE5016',
  severity: 'error',
  tier: 'G',
  scope: 'project',
  check(project, report) {
    const names = new Map<string, Map<string, Entry>>();
    for (const entry of entriesOf(project)) {
      for (const name of withFolders(entry.path)) {
        const spellings = names.get(name.toLowerCase()) ?? new Map<string, Entry>();
        if (!spellings.has(name)) spellings.set(name, entry);
        names.set(name.toLowerCase(), spellings);
      }
    }
    const seen = new Set<string>();
    for (const spellings of names.values()) {
      if (spellings.size < 2) continue;
      for (const [name, { path, module, range }] of spellings) {
        const other = [...spellings.keys()].find((spelling) => spelling !== name)!;
        if (seen.has(path)) continue; // Below a folder that clashes, every file would.
        seen.add(path);
        report({
          module,
          range,
          message: `${name} and ${other} differ only in case; they are one file on other systems.`,
        });
      }
    }
  },
});

/** Modules and imported assets inside of the project; what lies elsewhere is installed, not checked out. */
function entriesOf({ modules }: Project): Entry[] {
  const entries: Entry[] = modules.map((module) => {
    return { path: module.path, module, range: { start: 0, end: 0 } };
  });
  for (const module of modules) {
    for (const { specifier, specifierRange } of module.imports) {
      const resolution = module.resolutions[specifier];
      if (resolution?.kind !== 'asset' || resolution.path === undefined) continue;
      entries.push({ path: resolution.path, module, range: specifierRange });
    }
  }
  return entries.filter(({ path }) => !path.startsWith('../'));
}

/** The file and the folders it lies in, outermost first. */
function* withFolders(path: string): Generator<string> {
  for (let end = path.indexOf('/', 1); end > 0; end = path.indexOf('/', end + 1)) yield path.slice(0, end);
  yield path;
}
