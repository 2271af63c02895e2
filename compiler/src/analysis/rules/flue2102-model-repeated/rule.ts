import { nameOf, partingOf, rendersInUse } from '../../compose/renders.ts';
import { defineRule } from '../define-rule.ts';

/** Two models in one render (MODEL-01). */
export default defineRule({
  code: 'FLUE2102',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const seen = new Set<string>();
    for (const { summary } of rendersInUse(project)) {
      const count = summary.attempted?.counts.get('useModel');
      if (!count?.second || count.max < 2) continue;
      const { at, other } = partingOf(count.first, count.second);
      const key = `${at.module.path}#${at.range.start}`;
      if (seen.has(key)) continue;
      seen.add(key);
      report({
        ...at,
        message: `useModel() runs twice in one render (${nameOf(other)}, ${nameOf(at)}). Choose the model before a single call.`,
        severity: count.sure > 1 ? 'error' : 'warning',
        related: [{ ...other, message: 'the first call' }],
      });
    }
  },
});
