import type { Module } from '../../program.ts';
import { defineRule } from '../define-rule.ts';

/** Two entries that are one on a file system without case (DET-07). */
export default defineRule({
  code: 'FLUE5016',
  severity: 'error',
  tier: 'G',
  scope: 'project',
  check(project, report) {
    const entries = new Map<string, Map<string, Module>>();
    for (const module of project.modules) {
      for (const entry of entriesOf(module.path)) {
        const spellings = entries.get(entry.toLowerCase()) ?? new Map<string, Module>();
        if (!spellings.has(entry)) spellings.set(entry, module);
        entries.set(entry.toLowerCase(), spellings);
      }
    }
    const seen = new Set<string>();
    for (const spellings of entries.values()) {
      if (spellings.size < 2) continue;
      for (const [entry, module] of spellings) {
        const other = [...spellings.keys()].find((spelling) => spelling !== entry)!;
        if (seen.has(module.path)) continue; // Below a folder that clashes, every file would.
        seen.add(module.path);
        report({
          module,
          range: { start: 0, end: 0 },
          message: `${entry} and ${other} differ only in case; they are one file on other systems.`,
        });
      }
    }
  },
});

/** The file and the folders it lies in, outermost first. */
function entriesOf(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
