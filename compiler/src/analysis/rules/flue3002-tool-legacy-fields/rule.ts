import { fieldsOf } from '../../compose/fields.ts';
import { defineRule } from '../define-rule.ts';

const RENAMED: Readonly<Record<string, string>> = { parameters: 'input', execute: 'run' };

/** The old shape of a tool (TOOL-06). */
export default defineRule({
  code: 'FLUE3002',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const { term } of project.tools) {
      for (const { key, keyRange, module, owner } of fieldsOf(
        project.linker.evaluator,
        term,
      ).byName.values()) {
        const now = RENAMED[key];
        if (now === undefined || owner.value !== term.value) continue;
        report({
          module,
          range: keyRange,
          message: `"${key}" is the old tool shape; use ${now}.`,
          fixes: [{ title: `Rename to ${now}`, safe: false, edits: [{ ...keyRange, text: now }] }],
        });
      }
    }
  },
});
