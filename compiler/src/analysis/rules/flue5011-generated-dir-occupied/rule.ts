import { findDirective } from '../../find.ts';
import { sourceOf } from '../../project-facts.ts';
import { defineRule } from '../define-rule.ts';

/** Authored modules where only generated ones live (CFG-07). */
export default defineRule({
  code: 'FLUE5011',
  severity: 'error',
  tier: 'S',
  check(_project, report, { occupants = [], layout }) {
    for (const file of occupants) {
      report({
        module: sourceOf(file),
        range: findDirective(file.text) ?? { start: 0, end: 0 },
        message: `${layout?.generatedDir ?? 'This folder'} is for generated files and is never scanned. Move ${file.path}, or set sourceRoot and generate.outDir.`,
      });
    }
  },
});
