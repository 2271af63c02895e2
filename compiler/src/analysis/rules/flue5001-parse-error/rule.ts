import { mentionsFlue } from '../../find.ts';
import { defineRule } from '../define-rule.ts';

/** A file of ours that does not parse: nothing else can be said about it (RULE-14). */
export default defineRule({
  code: 'FLUE5001',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const module of project.modules) {
      const [problem] = module.problems;
      if (!problem || !mentionsFlue(module.text)) continue;
      report({
        module,
        range: problem,
        message: `Cannot parse this file: ${problem.message}. Other Flue checks are skipped here.`,
      });
    }
  },
});
