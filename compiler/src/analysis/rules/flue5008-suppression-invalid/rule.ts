import { codeOf } from '../../codes.ts';
import { defineRule } from '../define-rule.ts';

/** A suppression that suppresses nothing, whatever stands below it (RULE-30, RULE-31). */
export default defineRule({
  code: 'FLUE5008',
  severity: 'warning',
  tier: 'S',
  check() {},
  afterwards(suppressed, report) {
    for (const { module, comment } of suppressed) {
      const { codes, reason } = comment;
      const unknown = codes.find(({ text }) => codeOf(text) === undefined);
      let problem: string | undefined;
      if (codes.length === 0) problem = 'The code is missing';
      else if (unknown) problem = `No rule is called ${unknown.text}`;
      else if (reason === undefined) problem = 'The reason is missing';
      if (problem === undefined) continue;
      const form = module.path.endsWith('.md')
        ? '<!-- flue-ignore FLUEnnnn -- reason -->'
        : '// flue-ignore FLUEnnnn -- reason';
      report({ module, range: comment, message: `Write: ${form}. ${problem}.` });
    }
  },
});
