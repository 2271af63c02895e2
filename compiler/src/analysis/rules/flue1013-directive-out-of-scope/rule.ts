import { isTestFile } from '../../compose/project.ts';
import { findDirective } from '../../find.ts';
import { sourceOf } from '../../project-facts.ts';
import { defineRule } from '../define-rule.ts';

/** A marked module that the scan does not see (LOAD-02). What the project imports is seen another way. */
export default defineRule({
  code: 'FLUE1013',
  severity: 'warning',
  tier: 'S',
  check(project, report, { unscanned = [] }) {
    const imported = new Set(project.modules.map(({ path }) => path));
    for (const file of unscanned) {
      const range = findDirective(file.text);
      if (!range || file.started || imported.has(file.path) || isTestFile(file.path)) continue;
      report({
        module: sourceOf(file),
        range,
        message: `This agent module is never scanned (${file.reason}), so its agents do not register.`,
      });
    }
  },
});
