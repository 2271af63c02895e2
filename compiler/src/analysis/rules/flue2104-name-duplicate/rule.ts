import { HOOKS, type HookRow, isHookName } from '@flue/runtime/internal';
import { nameOf, partingOf, rendersInUse } from '../../compose/renders.ts';
import { defineRule } from '../define-rule.ts';

/** One name declared twice on one path (HOOK-05). */
export default defineRule({
  code: 'FLUE2104',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const seen = new Set<string>();
    for (const { summary } of rendersInUse(project)) {
      for (const [key, count] of summary.attempted?.counts ?? []) {
        const { first, second } = count;
        if (
          first.kind !== 'hook' ||
          key === first.site ||
          count.max < 2 ||
          !second ||
          !isHookName(first.name)
        )
          continue;
        const row: HookRow = HOOKS[first.name];
        const { at, other, repeated } = partingOf(first, second);
        if (!row.names || repeated) continue; // FLUE2105 speaks of loops.
        const place = `${key}@${at.module.path}#${at.range.start}`;
        if (seen.has(place)) continue;
        seen.add(place);
        report({
          ...at,
          message: `Two ${row.names}s named "${key.slice(key.indexOf(':') + 1)}" in one render: here and at ${nameOf(other)}.`,
          severity: count.sure > 1 ? 'error' : 'warning',
          related: [{ ...other, message: 'the first one' }],
        });
      }
    }
  },
});
