import { partingOf, rendersInUse } from '../../compose/renders.ts';
import { defineRule } from '../define-rule.ts';

/** Two environments in one render. */
export default defineRule({
  code: 'FLUE2103',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const seen = new Set<string>();
    for (const { summary } of rendersInUse(project)) {
      const count = summary.attempted?.counts.get('useSandbox');
      if (!count?.second || count.max < 2) continue;
      const { at, other } = partingOf(count.first, count.second);
      const key = `${at.module.path}#${at.range.start}`;
      if (seen.has(key)) continue;
      seen.add(key);
      report({
        ...at,
        message: 'useSandbox() runs twice in one render; an agent has one environment.',
        severity: count.sure > 1 ? 'error' : 'warning',
        related: [{ ...other, message: 'the first call' }],
      });
    }
  },
});
