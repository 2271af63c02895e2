import { codeOf } from '../../codes.ts';
import { defineRule } from '../define-rule.ts';

/** A suppression that suppresses nothing, whatever stands below it (RULE-30, RULE-31). */
export default defineRule({
  code: 'FLUE5008',
  severity: 'warning',
  tier: 'S',
  check(project, report) {
    for (const module of project.modules) {
      for (const { codes, reason, start, end } of module.suppressions) {
        const unknown = codes.find(({ text }) => codeOf(text) === undefined);
        let problem: string | undefined;
        if (codes.length === 0) problem = 'The code is missing';
        else if (unknown) problem = `No rule is called ${unknown.text}`;
        else if (reason === undefined) problem = 'The reason is missing';
        if (problem === undefined) continue;
        report({
          module,
          range: { start, end },
          message: `Write: // flue-ignore FLUEnnnn -- reason. ${problem}.`,
        });
      }
    }
  },
});
